using System;

namespace Pile.HitRatio.Contestants;

/// <summary>A cache of a size, empty at first, that is asked for one object after another.</summary>
internal interface IContestant : IDisposable
{
    /// <summary>Asks for an object, and admits it when it is not there.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="bytes">Bytes of its value. A hit leaves the object as it was admitted.</param>
    /// <param name="time">The time of the trace; never falls in generated ones.</param>
    /// <returns>Whether it was there.</returns>
    bool Request(ulong key, int bytes, long time);

    /// <summary>Bytes in use now, counted as the budget says; never above <see cref="Budget.CacheBytes"/>.</summary>
    long UsedBytes { get; }
}
