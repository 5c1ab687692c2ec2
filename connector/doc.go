// Package connector is for people who add sources, sinks and formats: it says what
// they implement. Each system or format has a sub-package; the root package binds
// them to the names used in WITH ('connector' = ..., 'format' = ...).
//
// This package is public: it changes only with notice.
package connector
