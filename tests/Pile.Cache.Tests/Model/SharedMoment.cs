// What is known of shared objects and their keys at a moment of a cache's life.
// A part of LifeMoment.
using System;
using System.Collections.Generic;

namespace Pile.Cache.Tests.Model;

internal sealed record SharedMoment(Dictionary<int, (int Id, DateTimeOffset End)> Durable, Dictionary<int, (int Id, DateTimeOffset End)> Speculative, List<SharedThing> Things)
{
    internal Dictionary<int, (int Id, DateTimeOffset End)> Of(bool isDurable) => isDurable ? Durable : Speculative;
}
