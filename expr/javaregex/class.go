package javaregex

// class reads a class behind its '[' and takes the ']'.
func (p *parser) class() (*set, error) {
	s, err := p.classPart()
	if err != nil {
		return nil, err
	}
	if p.peek() != ']' {
		return nil, p.bad("']' is missing")
	}
	p.next()
	return s, nil
}

// classPart reads a class, or what stands behind && in one, up to its ']'.
func (p *parser) classPart() (*set, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.unsupported("classes nested that deep", "write it flatter")
	}
	defer func() { p.depth-- }()
	negative := false
	if p.here() == '^' {
		p.next()
		negative = true
	}
	s, err := p.members()
	if err == nil && negative {
		s = s.negate()
	}
	return s, err
}

// members reads ranges, classes and intersections up to ']', which it leaves.
func (p *parser) members() (*set, error) {
	var sum *set
	add := func(s *set) {
		if sum == nil {
			sum = s
		} else {
			sum = sum.union(s)
		}
	}
	for {
		switch c := p.peek(); {
		case c == end:
			return nil, p.bad("']' is missing")
		case c == ']' && sum != nil:
			return sum, nil
		case c == '[':
			p.next()
			s, err := p.class()
			if err != nil {
				return nil, err
			}
			add(s)
		case c == '&' && len(p.rest) > 1 && p.rest[1] == '&':
			p.rest = p.rest[2:]
			s, err := p.intersection()
			if err != nil {
				return nil, err
			}
			switch {
			case sum == nil && s == nil:
				return nil, p.bad("&& has nothing beside it")
			case sum == nil:
				sum = s
			case s != nil:
				sum = sum.intersect(s)
			}
		default:
			s, err := p.classRange()
			if err != nil {
				return nil, err
			}
			add(s)
		}
	}
}

// intersection reads the right side of &&, nil if there is none.
func (p *parser) intersection() (*set, error) {
	var right *set
	for {
		var s *set
		var err error
		switch p.peek() {
		case ']', '&':
			return right, nil
		case end:
			return nil, p.bad("']' is missing")
		case '[':
			p.next()
			s, err = p.class()
		default:
			s, err = p.members()
		}
		if err != nil {
			return nil, err
		}
		if right == nil {
			right = s
		} else {
			right = right.union(s)
		}
	}
}

// classRange reads one character, a range of them, or an escape for several.
func (p *parser) classRange() (*set, error) {
	lo, s, err := p.classChar()
	if err != nil || s != nil {
		return s, err
	}
	if p.peek() != '-' || len(p.rest) < 2 || p.rest[1] == '[' || p.rest[1] == ']' {
		return p.span(lo, lo), nil
	}
	p.next()
	p.peek() // over blanks
	hi, s, err := p.classChar()
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		return nil, p.bad("a range ends with a class")
	case hi < lo:
		return nil, p.bad("a range ends before it starts")
	}
	return p.span(lo, hi), nil
}

// classChar reads one character of a class, or a set that an escape stands for.
func (p *parser) classChar() (rune, *set, error) {
	if !p.have('\\') {
		if p.peek() == end {
			return 0, nil, p.bad("']' is missing")
		}
		return p.next(), nil, nil
	}
	switch p.here() {
	case 'd', 'D', 'w', 'W', 's', 'S', 'h', 'H', 'v', 'V', 'p', 'P':
		s, _, err := p.escapedSet()
		return 0, s, err
	}
	c, err := p.escapedChar()
	return c, nil, err
}
