package builtin

// Arithmetic goes over blocks of 64 values, four in a step: a loop with one value in a
// step depends on where in memory its few instructions happen to lie.

// inBlocks calls block for each 64 values of a and b and returns how many it has done.
func inBlocks[T number](o, a, b []T, block func(z, x, y *[64]T)) int {
	full := len(a) >> 6
	for k := range full {
		block((*[64]T)(o[k<<6:]), (*[64]T)(a[k<<6:]), (*[64]T)(b[k<<6:]))
	}
	return full << 6
}

// inBlocksConst is inBlocks for a constant.
func inBlocksConst[T number](o, a []T, y T, block func(z, x *[64]T, y T)) int {
	full := len(a) >> 6
	for k := range full {
		block((*[64]T)(o[k<<6:]), (*[64]T)(a[k<<6:]), y)
	}
	return full << 6
}

func plusBlock[T number](z, x, y *[64]T) {
	for i := 3; i < 64; i += 4 {
		z[i-3], z[i-2], z[i-1], z[i] = x[i-3]+y[i-3], x[i-2]+y[i-2], x[i-1]+y[i-1], x[i]+y[i]
	}
}

func minusBlock[T number](z, x, y *[64]T) {
	for i := 3; i < 64; i += 4 {
		z[i-3], z[i-2], z[i-1], z[i] = x[i-3]-y[i-3], x[i-2]-y[i-2], x[i-1]-y[i-1], x[i]-y[i]
	}
}

func timesBlock[T number](z, x, y *[64]T) {
	for i := 3; i < 64; i += 4 {
		z[i-3], z[i-2], z[i-1], z[i] = x[i-3]*y[i-3], x[i-2]*y[i-2], x[i-1]*y[i-1], x[i]*y[i]
	}
}

func plusConstBlock[T number](z, x *[64]T, y T) {
	for i := 3; i < 64; i += 4 {
		z[i-3], z[i-2], z[i-1], z[i] = x[i-3]+y, x[i-2]+y, x[i-1]+y, x[i]+y
	}
}

func timesConstBlock[T number](z, x *[64]T, y T) {
	for i := 3; i < 64; i += 4 {
		z[i-3], z[i-2], z[i-1], z[i] = x[i-3]*y, x[i-2]*y, x[i-1]*y, x[i]*y
	}
}

// convertBlock converts 64 values as Go does.
func convertBlock[A, R number](z *[64]R, x *[64]A) {
	for i := 3; i < 64; i += 4 {
		z[i-3], z[i-2], z[i-1], z[i] = R(x[i-3]), R(x[i-2]), R(x[i-1]), R(x[i])
	}
}
