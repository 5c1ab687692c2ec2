package builtin_test

import "testing"

func TestRegex(t *testing.T) {
	checkAll(t, []fcase{
		{"SIMILAR TO", "s s", "BOOLEAN", []string{"abc|a%|TRUE", "abc|[a-c]+|TRUE", "a.c|a\\.c|FALSE", "abc|(ab)%|TRUE", "x|abc%|FALSE",
			"abc|a_{1,2}|TRUE", "ABC|abc|FALSE", "a+c|a\\+c|FALSE", "aac|a*c|TRUE", "a?c|a?c|FALSE", "12|[[:DIGIT:]]+|TRUE", "ab|[^x]b|TRUE",
			"axb|a.b|TRUE", "a^b|a^b|FALSE", "a$b|a$b|TRUE", "|%|TRUE", "é|_|TRUE", "∅|a|∅"}},
		{"REGEXP", "s s", "BOOLEAN", []string{"abc|b|TRUE", "abc||FALSE", "abc|[|FALSE", "a.c|a\\.c|TRUE", "12|[[:DIGIT:]]+|FALSE", "∅|a|∅", "a|∅|∅", "abc|(?<=a)b|TRUE", "abc|(?!a)a|FALSE"}},
		{"REGEXP_EXTRACT", "s s i", "STRING", []string{"foothebar|foo(.*?)(bar)|2|bar", "foothebar|foo(.*?)(bar)|0|foothebar", "foo|x|0|∅", "foo|(|0|∅", "foo|f|1|∅", "foo|f|-1|∅", "ac|a(b)?c|1|∅", "∅|a|0|∅"}},
		{"REGEXP_SUBSTR", "s s", "STRING", []string{"foobar|o+|oo", "foo|x|∅"}},
		{"REGEXP_REPLACE", "s s s", "STRING", []string{"foobar|oo+|$1|f$1bar", "foo|(|x|∅", "aaa|a*|X|XX", "é😀|😀|x|éx"}},
		{"REGEXP_COUNT", "s s", "INT", []string{"banana|an|2", "é😀ñ||5", "foo|(|∅", "abc|x|0", "abab|(ab)\\1|1", "é😀||4", "aab|a*|3"}},
		{"REGEXP_INSTR", "s s", "INT", []string{"é😀ñ|ñ|4", "abc|x|0", "abc|(|∅"}},
	})
	fails(t, "REGEXP", "s s", "abc|\\p{InGreek}", "not supported")
	fails(t, "REGEXP_COUNT", "s s", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|(?=a)(aa?)*b", "too many steps")
	fails(t, "SIMILAR TO", "s s", "abc|(", "no regular expression")
	refuses(t, "REGEXP", "s '(?U)a", "not supported")
	refuses(t, "SIMILAR TO", "s '[", "no regular expression")
}

func TestEncodings(t *testing.T) {
	checkAll(t, []fcase{
		{"MD5", "s", "CHAR(32)", []string{"abc|900150983cd24fb0d6963f7d28e17f72", "|d41d8cd98f00b204e9800998ecf8427e", "∅|∅"}},
		{"SHA1", "s", "CHAR(40)", []string{"abc|a9993e364706816aba3e25717850c26c9cd0d89d"}},
		{"SHA2", "s i", "VARCHAR(128)", []string{"abc|224|23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7", "abc|∅|∅"}},
		{"TO_BASE64", "s", "STRING", []string{"hello world|aGVsbG8gd29ybGQ=", "|"}},
		{"FROM_BASE64", "s", "STRING", []string{"aGVsbG8gd29ybGQ=|hello world", "aGVsbG8|hello"}},
		{"URL_ENCODE", "s", "STRING", []string{"a b&c=é/?|a+b%26c%3D%C3%A9%2F%3F", "~*-._|%7E*-._", "%|%25"}},
		{"URL_DECODE", "s", "STRING", []string{"a+b%26c%3D%C3%A9|a b&c=é", "%|∅", "%zz|∅", "%41|A", "|"}},
		{"PARSE_URL", "s s", "STRING", []string{
			"http://user:pw@facebook.com:8080/path1/p.php?k1=v1&k2=v2#Ref1|HOST|facebook.com", "http://user:pw@facebook.com:8080/path1/p.php?k1=v1&k2=v2#Ref1|AUTHORITY|user:pw@facebook.com:8080",
			"http://user:pw@facebook.com:8080/path1/p.php?k1=v1&k2=v2#Ref1|FILE|/path1/p.php?k1=v1&k2=v2", "http://user:pw@facebook.com:8080/path1/p.php?k1=v1&k2=v2#Ref1|USERINFO|user:pw",
			"http://user:pw@facebook.com:8080/path1/p.php?k1=v1&k2=v2#Ref1|REF|Ref1", "http://facebook.com|PATH|", "http://facebook.com|QUERY|∅", "http://facebook.com|REF|∅", "bad|HOST|∅",
			"http://h/p?a=b?c|QUERY|a=b?c", "mailto:a@b.c|PATH|a@b.c", "mailto:a@b.c|AUTHORITY|∅", "http://[::1]/x|HOST|[::1]", "http://h/p#r?q=1|REF|r?q=1", "http://h/p|host|∅", "ftp://h/a%20b|PATH|/a%20b", "http://h/a b|PATH|/a b", "http://h/?|FILE|/?", "http://h/?|QUERY|", "http://h/#|REF|", "http:/p|AUTHORITY|∅", "http://h:x/|HOST|∅",
			"http://u@v@h/p|USERINFO|∅", "http://é/é|PATH|/é", "url:HTTP://H/./a|PATH|/./a", "http://[1]/|HOST|∅", "mailto:a?b?c|QUERY|c"}},
		{"PARSE_URL", "s s s", "STRING", []string{"https://h/?k2=&k2=x|QUERY|k2|", "http://h/?k1=v1&k2=v2|QUERY|k2|v2", "http://h/|QUERY|k|∅", "http://h/?k=v|PATH|k|∅"}},
		{"INET_ATON", "s", "BIGINT", []string{"192.168.0.1|3232235521", "1.2|16777218", "1.2.3|16908291", "5|5", "255|255", "256|∅", "0000000001.2.3.4|16909060", "1.2.3.4.|∅", "256.0.0.1|∅", "1.2.3.4.5|∅", "a.b|∅", "|∅", "01.02.03.04|16909060",
			"1..2|∅", "255.255.255.255|4294967295", "4294967296|∅", "1.70000|∅", "0.0.0.0|0"}},
		{"INET_NTOA", "bi", "STRING", []string{"3232235521|192.168.0.1", "4294967296|∅", "-1|∅", "0|0.0.0.0"}},
		{"IS_ALPHA", "s", "BOOLEAN NOT NULL", []string{"abc|TRUE", "é|TRUE", "a1|FALSE", "|FALSE", "∅|FALSE"}},
		{"IS_DIGIT", "s", "BOOLEAN NOT NULL", []string{"123|TRUE", "-1|FALSE", "１２|TRUE", "∅|FALSE"}},
		{"IS_DECIMAL", "s", "BOOLEAN NOT NULL", []string{"1.5|TRUE", " 1 |TRUE", "1e5|TRUE", "NaN|TRUE", "+1.|TRUE", ".|FALSE", "0x1p3|TRUE", "1d|TRUE", "1_0|FALSE", "１２|TRUE", "∅|FALSE"}},
	})
	fails(t, "SHA2", "s i", "abc|1", "1 bits")
	fails(t, "FROM_BASE64", "s", "!!", "no base 64")
}
