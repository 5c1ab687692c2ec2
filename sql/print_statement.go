package sql

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *QueryStatement:
		p.query(s.Query)
	case *CreateTable:
		p.createTable(s)
	case *CreateView:
		p.createView(s)
	case *Drop:
		p.put("DROP ")
		if s.Temporary {
			p.put("TEMPORARY ")
		}
		p.put([...]string{"TABLE", "VIEW", "DATABASE", "CATALOG", "FUNCTION"}[s.Object], " ")
		if s.IfExists {
			p.put("IF EXISTS ")
		}
		p.name(s.Name)
		if s.Cascade {
			p.put(" CASCADE")
		}
	case *Insert:
		p.insert(s)
	case *StatementSet:
		p.put("EXECUTE ")
		p.statementSet(s)
	case *Explain:
		p.put("EXPLAIN ")
		p.list(len(s.Details), func(i int) { p.put(s.Details[i]) })
		if len(s.Details) > 0 {
			p.put(" ")
		}
		if set, ok := s.Statement.(*StatementSet); ok {
			p.statementSet(set)
		} else {
			p.statement(s.Statement)
		}
	case *Describe:
		p.put("DESCRIBE ")
		if s.Function {
			p.put("FUNCTION ")
		}
		if s.Extended {
			p.put("EXTENDED ")
		}
		p.name(s.Name)
	case *Show:
		p.show(s)
	case *Set:
		p.put("SET")
		p.comment(" ", s.Key)
		p.comment(" = ", s.Value)
	case *Reset:
		p.put("RESET")
		p.comment(" ", s.Key)
	case *Other:
		p.put(s.Words)
	}
}

func (p *printer) statementSet(s *StatementSet) {
	p.put("STATEMENT SET BEGIN ")
	for _, i := range s.Inserts {
		p.insert(i)
		p.put("; ")
	}
	p.put("END")
}

func (p *printer) insert(s *Insert) {
	p.put("INSERT ")
	if s.Overwrite {
		p.put("OVERWRITE ")
	} else {
		p.put("INTO ")
	}
	p.name(s.Table)
	p.hints(s.Hints)
	if s.Partition != nil {
		p.put(" PARTITION (")
		p.list(len(s.Partition), func(i int) {
			o := s.Partition[i]
			p.ident(Ident{Name: o.Key.Value, Quoted: true})
			p.put(" = ")
			p.text(o.Value.Value)
		})
		p.put(")")
	}
	if s.Columns != nil {
		p.put(" ")
		p.idents(s.Columns)
	}
	p.put(" ")
	p.query(s.Query)
	if s.Conflict != "" {
		p.put(" ON CONFLICT DO ", s.Conflict)
	}
}

func (p *printer) show(s *Show) {
	p.put("SHOW ", s.What)
	if s.Object.Parts != nil {
		switch s.What {
		case "COLUMNS", "TABLES", "VIEWS", "DATABASES", "FUNCTIONS", "USER FUNCTIONS", "PROCEDURES", "MODELS", "MATERIALIZED TABLES":
			p.put(" FROM")
		}
		p.put(" ")
		p.name(s.Object)
	}
	p.not(s.Not)
	if s.ILike {
		p.comment(" ILIKE ", s.Like)
	} else {
		p.comment(" LIKE ", s.Like)
	}
}

// created writes CREATE [OR REPLACE] [TEMPORARY] kind [IF NOT EXISTS] name.
func (p *printer) created(kind string, replace, temporary, ifNotExists bool, n Name) {
	p.put("CREATE ")
	if replace {
		p.put("OR REPLACE ")
	}
	if temporary {
		p.put("TEMPORARY ")
	}
	p.put(kind, " ")
	if ifNotExists {
		p.put("IF NOT EXISTS ")
	}
	p.name(n)
}

func (p *printer) createView(s *CreateView) {
	p.created("VIEW", s.OrReplace, s.Temporary, s.IfNotExists, s.Name)
	if s.Columns != nil {
		p.put(" ")
		p.idents(s.Columns)
	}
	p.comment(" COMMENT ", s.Comment)
	p.put(" AS ")
	p.query(s.Query)
}

func (p *printer) createTable(s *CreateTable) {
	p.created("TABLE", s.OrReplace, s.Temporary, s.IfNotExists, s.Name)
	sep := " ("
	next := func() {
		p.put(sep)
		sep = ", "
	}
	for _, c := range s.Columns {
		next()
		p.column(c)
	}
	for _, id := range s.AsColumns {
		next()
		p.ident(id)
	}
	if s.Watermark != nil {
		next()
		p.watermark(s.Watermark)
	}
	if s.PrimaryKey != nil {
		next()
		p.primaryKey(s.PrimaryKey)
	}
	if sep == ", " {
		p.put(")")
	}
	p.comment(" COMMENT ", s.Comment)
	if d := s.Distribution; d != nil {
		p.put(" DISTRIBUTED")
		if d.Columns != nil {
			p.put(" BY ", d.Kind)
			p.idents(d.Columns)
		}
		if d.Buckets != "" {
			p.put(" INTO ", d.Buckets, " BUCKETS")
		}
	}
	if s.PartitionedBy != nil {
		p.put(" PARTITIONED BY ")
		p.idents(s.PartitionedBy)
	}
	if s.Options != nil {
		p.put(" WITH ")
		p.options(s.Options)
	}
	if l := s.Like; l != nil {
		p.put(" LIKE ")
		p.name(l.Table)
		for i, o := range l.Options {
			if i == 0 {
				p.put(" (")
			} else {
				p.put(" ")
			}
			p.put(o)
		}
		if len(l.Options) > 0 {
			p.put(")")
		}
	}
	if s.As != nil {
		p.put(" AS ")
		p.query(s.As)
	}
}

func (p *printer) column(c ColumnDef) {
	p.ident(c.Name)
	if c.Kind == ComputedColumn {
		p.put(" AS ")
		p.expr(c.Expr)
	} else {
		p.put(" ")
		p.typeName(c.Type)
	}
	if c.Kind == MetadataColumn {
		p.put(" METADATA")
		p.comment(" FROM ", c.MetadataKey)
		if c.Virtual {
			p.put(" VIRTUAL")
		}
	}
	if c.PrimaryKey {
		p.put(" PRIMARY KEY NOT ENFORCED")
	}
	p.comment(" COMMENT ", c.Comment)
}

func (p *printer) watermark(w *WatermarkDef) {
	p.put("WATERMARK FOR ")
	p.name(w.Column)
	p.put(" AS ")
	p.expr(w.Expr)
}

func (p *printer) primaryKey(k *PrimaryKeyDef) {
	if k.Constraint != nil {
		p.put("CONSTRAINT ")
		p.ident(*k.Constraint)
		p.put(" ")
	}
	p.put("PRIMARY KEY ")
	p.idents(k.Columns)
	if !k.Enforced {
		p.put(" NOT ENFORCED")
	}
}
