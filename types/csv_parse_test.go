package types

import "testing"

// Flink case "BIGINT spellings" and its sisters for the smaller types.
func TestParseCSVInt(t *testing.T) {
	for _, c := range []struct{ text, tiny, big string }{
		{"1", "1", "1"}, {"-1", "-1", "-1"}, {"+5", "5", "5"}, {"007", "7", "7"}, {" 8 ", "8", "8"}, {"8\t", "8", "8"},
		{"1_000", fails, fails}, {"1,000", fails, fails}, {"1.0", fails, fails}, {"1e3", fails, fails}, {"0x10", fails, fails},
		{"1L", fails, fails}, {"", fails, fails}, {"-", fails, fails}, {"--1", fails, fails}, {"2147483648", fails, "2147483648"},
		{"9223372036854775807", fails, "9223372036854775807"}, {"9223372036854775808", fails, fails}, {"NaN", fails, fails},
		{"1 2", fails, fails}, {"١", "1", "1"}, {"-0", "0", "0"}, {"1.", fails, fails}, {".5", fails, fails}, {"١٢x", fails, fails},
	} {
		for kind, want := range map[Kind]string{TinyInt: c.tiny, BigInt: c.big} {
			got := fails
			if i, fault := ParseCSVInt([]byte(c.text), kind); fault == OK {
				got = string(AppendInt64(nil, Of(kind), i, nil))
			}
			if got != want {
				t.Errorf("%q as %v = %s, want %s", c.text, Of(kind), got, want)
			}
		}
	}
}

// Flink cases "DOUBLE spellings", "DECIMAL(5, 2) spellings", "DECIMAL(38, 10)
// spellings" and "DECIMAL(10, 0) spellings". A DECIMAL that does not fit is NULL
// without a word there.
func TestParseCSVFraction(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1.0", "+1.5": "1.5", ".5": "0.5", "1.": "1.0", "1E-3": "0.001", "1e400": "Infinity", "NaN": "NaN", "nan": fails, "inf": fails,
		"-Infinity": "-Infinity", "0x1p3": "8.0", "1d": "1.0", "1f": "1.0", "1L": fails, " 2.5 ": "2.5", "2,5": fails, "1_0": fails, "": fails,
		"-0.0": "-0.0", "123456789.123456789": "1.2345678912345679E8", "3.4028236e39": "3.4028236E39", "00.5": "0.5", "true": fails,
	} {
		got := fails
		if f, fault := ParseCSVDouble([]byte(text)); fault == OK {
			got = string(AppendDouble(nil, f))
		}
		if got != want {
			t.Errorf("%q as DOUBLE = %s, want %s", text, got, want)
		}
	}
	for _, c := range []struct {
		text string
		p, s int32
		want string
	}{
		{"1", 5, 2, "1.00"}, {"1.5", 5, 2, "1.50"}, {"1.234", 5, 2, "1.23"}, {"1.235", 5, 2, "1.24"}, {"1.245", 5, 2, "1.25"},
		{"-1.235", 5, 2, "-1.24"}, {"1.005", 5, 2, "1.01"}, {"999.99", 5, 2, "999.99"}, {"999.995", 5, 2, fails}, {"1000", 5, 2, fails},
		{"1e2", 5, 2, "100.00"}, {"1e3", 5, 2, fails}, {"1E-2", 5, 2, "0.01"}, {" 2.5 ", 5, 2, fails}, {"+3", 5, 2, "3.00"}, {".5", 5, 2, "0.50"},
		{"1.", 5, 2, "1.00"}, {"NaN", 5, 2, fails}, {"", 5, 2, fails}, {"1,5", 5, 2, fails}, {"0x1", 5, 2, fails}, {"00012", 5, 2, "12.00"}, {"1.2e1", 5, 2, "12.00"},
		{"12345678901234567890123456.123456789012", 38, 10, "12345678901234567890123456.1234567890"},
		{"1e27", 38, 10, "1000000000000000000000000000.0000000000"}, {"1e28", 38, 10, fails},
		{"0.00000000005", 38, 10, "0.0000000001"}, {"0.00000000004", 38, 10, "0.0000000000"},
		{"1.5", 10, 0, "2"}, {"2.5", 10, 0, "3"}, {"-1.5", 10, 0, "-2"}, {"0.4", 10, 0, "0"}, {"9999999999", 10, 0, "9999999999"}, {"9999999999.5", 10, 0, fails},
		{"1e999999999999", 38, 0, fails}, {"0e999999999999", 38, 0, "0"}, {"1e-999999999999", 38, 0, "0"}, {"1e", 38, 0, fails},
	} {
		got := fails
		if d, fault := ParseCSVDecimal([]byte(c.text), c.p, c.s); fault == OK {
			got = string(AppendDecimal(nil, d, c.s))
		}
		if got != c.want {
			t.Errorf("%q as DECIMAL(%d, %d) = %s, want %s", c.text, c.p, c.s, got, c.want)
		}
		if c.p > 18 {
			continue
		}
		got = fails
		if d, fault := ParseCSVDecimal64([]byte(c.text), c.p, c.s); fault == OK {
			got = string(AppendDecimal64(nil, d, c.s))
		}
		if got != c.want {
			t.Errorf("%q as DECIMAL(%d, %d) of 64 bits = %s, want %s", c.text, c.p, c.s, got, c.want)
		}
	}
}

// Flink takes every other text for FALSE.
func TestParseCSVBool(t *testing.T) {
	for text, want := range map[string]string{"true": "TRUE", " TRUE ": "TRUE", "False": "FALSE", "1": fails, "yes": fails, "t": fails, "": fails, "maybe": fails} {
		got := fails
		if b, fault := ParseCSVBool([]byte(text)); fault == OK {
			got = string(AppendBool(nil, b))
		}
		if got != want {
			t.Errorf("%q as BOOLEAN = %s, want %s", text, got, want)
		}
	}
}

// Flink case "BYTES spellings".
func TestParseCSVBytes(t *testing.T) {
	for text, want := range map[string]string{
		"YWJj": "x'616263'", "YWJ": fails, "abc": fails, "YW\nJj": fails, "": "x''", "!!": fails, "YQ==": "x'61'", "YQ": fails, " YWJj ": "x'616263'",
	} {
		got := fails
		if b, fault := ParseCSVBytes(nil, []byte(text)); fault == OK {
			got = string(AppendHex(nil, b))
		}
		if got != want {
			t.Errorf("%q as BYTES = %s, want %s", text, got, want)
		}
	}
}

// Flink cases "DATE spellings" and "TIME(3) spellings"; days that do not exist are
// refused here.
func TestParseCSVDateAndTime(t *testing.T) {
	for text, want := range map[string]string{
		"2024-01-01": "2024-01-01", "2024-1-1": "2024-01-01", "2024-02-30": fails, "2024-02-29": "2024-02-29", "2023-02-29": fails, "20240101": fails,
		"2024/01/01": fails, "2024-01-01 00:00:00": fails, " 2024-01-01 ": fails, "": fails, "0001-01-01": "0001-01-01", "9999-12-31": "9999-12-31",
		"-0001-01-01": fails, "12024-01-01": fails, "01-01-2024": fails, "2024-01": fails, "2024-13-01": fails, "19723": fails,
	} {
		got := fails
		if d, fault := ParseCSVDate([]byte(text)); fault == OK {
			got = string(AppendDate(nil, d))
		}
		if got != want {
			t.Errorf("%q as DATE = %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"10:20:30": "10:20:30.0", "10:20": "10:20:00.0", "1:2:3": fails, "10:20:30.1": "10:20:30.1", "10:20:30.123456": "10:20:30.123", "24:00:00": fails,
		"23:59:60": fails, "": fails, " 10:20:30 ": fails, "102030": fails, "10:20:30Z": fails, "10:20:30 PM": fails, "23:59:59.999999999": "23:59:59.999",
	} {
		got := fails
		if ms, fault := ParseCSVTime([]byte(text), 3); fault == OK {
			got = string(AppendTime(nil, ms, 3))
		}
		if got != want {
			t.Errorf("%q as TIME(3) = %s, want %s", text, got, want)
		}
	}
}

// Flink case "TIMESTAMP(9) spellings", and what is accepted beyond it: T and zones.
func TestParseCSVTimestamp(t *testing.T) {
	for _, c := range []struct {
		text string
		p    int
		want string
		zone string // TIMESTAMP_LTZ
	}{
		{"2024-01-01 00:00:00", 9, "2024-01-01 00:00:00.000000000", fails},
		{"2024-01-01 12:13:14.1239", 9, "2024-01-01 12:13:14.123900000", fails},
		{"2024-01-01 12:13:14.123456789", 9, "2024-01-01 12:13:14.123456789", fails},
		{"2024-01-01 12:13:14.1234567891", 9, fails, fails},
		{"2024-01-01 12:13:14.123456789", 6, "2024-01-01 12:13:14.123456", fails},
		{"2024-01-01 12:13:14.9", 0, "2024-01-01 12:13:14", fails},
		{"2024-01-01 12:13:14.99", 1, "2024-01-01 12:13:14.9", fails},
		{" 2024-01-01 12:13:14. ", 3, "2024-01-01 12:13:14.000", fails},
		{"2024-01-01 24:00:00", 3, "2024-01-02 00:00:00.000", fails},
		{"2024-01-01 24:00:00.5", 3, fails, fails},
		{"2024-01-01", 3, fails, fails},
		{"2024-01-01 00:00", 3, fails, fails},
		{"2024-01-01 1:02:03", 3, fails, fails},
		{"2024-01-01 00:00:00x", 3, fails, fails},
		{"2024-02-30 00:00:00", 3, fails, fails},
		{"", 3, fails, fails},
		{"1969-12-31 23:59:59.999", 3, "1969-12-31 23:59:59.999", fails},
		{"1969-12-31 23:59:59.9999", 3, "1969-12-31 23:59:59.999", fails},
		// ours
		{"2024-01-01T00:00:00", 3, "2024-01-01 00:00:00.000", fails},
		{"2024-01-01T00:00:00.5Z", 3, "2024-01-01 00:00:00.500", "2024-01-01 00:00:00.500"},
		{"2024-01-01 00:00:00Z", 3, "2024-01-01 00:00:00.000", "2024-01-01 00:00:00.000"},
		{"2024-01-01T00:00:00+02:00", 3, "2023-12-31 22:00:00.000", "2023-12-31 22:00:00.000"},
		{"2024-01-01T00:00:00.25-0130", 3, "2024-01-01 01:30:00.250", "2024-01-01 01:30:00.250"},
		{"2024-01-01T00:00:00-05", 3, "2024-01-01 05:00:00.000", "2024-01-01 05:00:00.000"},
		{"2024-01-01T00:00:00 +01:00", 3, "2023-12-31 23:00:00.000", "2023-12-31 23:00:00.000"},
		{"2024-01-01T00:00:00+1", 3, fails, fails},
		{"2024-01-01T00:00:00+01:", 3, fails, fails},
		{"2024-01-01T00:00:00+01:75", 3, fails, fails},
		{"2024-01-01T00:00:00ZZ", 3, fails, fails},
	} {
		typ := NewTimestamp(c.p)
		got := fails
		if v, fault := ParseCSVTimestamp([]byte(c.text), typ.TimeUnit(), typ.Precision); fault == OK {
			got = string(AppendTimestamp(nil, v, typ.TimeUnit(), typ.Precision))
		}
		if got != c.want {
			t.Errorf("%q as %v = %s, want %s", c.text, typ, got, c.want)
		}
		got = fails
		if v, fault := ParseCSVTimestampLTZ([]byte(c.text), typ.TimeUnit(), typ.Precision); fault == OK {
			got = string(AppendTimestamp(nil, v, typ.TimeUnit(), typ.Precision))
		}
		if got != c.zone {
			t.Errorf("%q as TIMESTAMP_LTZ(%d) = %s, want %s", c.text, c.p, got, c.zone)
		}
	}
	if _, fault := ParseCSVTimestampLTZ([]byte("2024-01-01 00:00:00"), 1e3, 3); fault != NoZone {
		t.Errorf("a TIMESTAMP_LTZ without zone: %v", fault)
	}
	if _, fault := ParseCSVTimestamp([]byte("2024-02-30 00:00:00"), 1e3, 3); fault != NoSuchDay {
		t.Errorf("February 30: %v", fault)
	}
}
