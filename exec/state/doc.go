// Package state holds what operators remember: hash tables of groups, sets for
// DISTINCT, the aggregates of many groups, and the registry through which an
// operator declares all of it by name, so that the driver can snapshot, restore,
// account and print it.
//
// Everything is flat arrays without pointers, indexed by dense group ids given in
// order of first arrival; no order ever depends on a hash.
package state
