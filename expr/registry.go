package expr

import (
	"sort"
	"strings"
)

// Registry finds functions, aggregates and table functions by name, in any letter case. It is a
// value made once by the root package; lookups are safe for concurrent use after
// that.
type Registry struct {
	functions  map[string]*Function
	aggregates map[string]*Aggregate
	tables     map[string]*TableFunction
}

// NewRegistry returns a registry of the given entries. Later entries hide earlier
// ones of the same name.
func NewRegistry(functions []*Function, aggregates []*Aggregate) *Registry {
	r := &Registry{
		functions:  make(map[string]*Function, 2*len(functions)),
		aggregates: make(map[string]*Aggregate, 2*len(aggregates)),
		tables:     make(map[string]*TableFunction),
	}
	for _, f := range functions {
		r.AddFunction(f)
	}
	for _, a := range aggregates {
		r.AddAggregate(a)
	}
	return r
}

// AddFunction adds f under its name and aliases.
func (r *Registry) AddFunction(f *Function) {
	r.functions[f.Name] = f
	for _, a := range f.Aliases {
		r.functions[a] = f
	}
}

// AddAggregate adds a under its name and aliases.
func (r *Registry) AddAggregate(a *Aggregate) {
	r.aggregates[a.Name] = a
	for _, n := range a.Aliases {
		r.aggregates[n] = a
	}
}

// AddTableFunction adds f under its name.
func (r *Registry) AddTableFunction(f *TableFunction) { r.tables[f.Name] = f }

// Function returns the scalar function of that name, or nil.
func (r *Registry) Function(name string) *Function { return r.functions[strings.ToUpper(name)] }

// Aggregate returns the aggregate function of that name, or nil.
func (r *Registry) Aggregate(name string) *Aggregate { return r.aggregates[strings.ToUpper(name)] }

// TableFunction returns the table function of that name, or nil.
func (r *Registry) TableFunction(name string) *TableFunction { return r.tables[strings.ToUpper(name)] }

// TableFunctionNames returns the names of the table functions, sorted.
func (r *Registry) TableFunctionNames() []string {
	var names []string
	for n := range r.tables {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Names returns all names that can be called (no operators), sorted.
func (r *Registry) Names() []string {
	var names []string
	for n, f := range r.functions {
		if !f.Operator && n[0] >= 'A' && n[0] <= 'Z' && !strings.Contains(n, " ") {
			names = append(names, n)
		}
	}
	for n := range r.aggregates {
		names = append(names, n)
	}
	for n := range r.tables {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Functions returns each function once, sorted by name.
func (r *Registry) Functions() []*Function {
	var fs []*Function
	for n, f := range r.functions {
		if n == f.Name {
			fs = append(fs, f)
		}
	}
	sort.Slice(fs, func(i, j int) bool { return fs[i].Name < fs[j].Name })
	return fs
}

// Aggregates returns each aggregate once, sorted by name.
func (r *Registry) Aggregates() []*Aggregate {
	var as []*Aggregate
	for n, a := range r.aggregates {
		if n == a.Name {
			as = append(as, a)
		}
	}
	sort.Slice(as, func(i, j int) bool { return as[i].Name < as[j].Name })
	return as
}
