// What is known of a cache's life at a moment: of its tables, and of the program's objects and roots beside them.
// Comparisons are with such a moment, and with what is known by then.
using System;
using System.Collections.Generic;

namespace Pile.Cache.Tests.Model;

internal sealed record LifeMoment(
    Dictionary<int, (byte[] Value, DateTimeOffset End)> Keys,
    Dictionary<int, (byte[] Value, DateTimeOffset End)> Speculative,
    SharedMoment Shared,
    Dictionary<int, byte[]?> Own,
    Dictionary<int, byte[]> Roots);
