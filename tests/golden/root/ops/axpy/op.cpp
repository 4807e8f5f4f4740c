// A name in the plans of the golden tests; nothing compiles it.
