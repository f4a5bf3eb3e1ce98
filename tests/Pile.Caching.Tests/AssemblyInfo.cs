using Xunit;

// Hosts of one process share the listener on events of piles: what one test's cache does must not reach another test's log.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
