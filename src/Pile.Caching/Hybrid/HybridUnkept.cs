// What stands for the bytes of a value that could not be made into bytes now, because the pile has no room for the schema of its type. It is
// never stored: the call that made the value has it, and whoever waited makes its own.
using System;
using Pile.Cache;

namespace Pile.Caching.Hybrid;

/// <summary>The mark of a value that is not kept.</summary>
internal static class HybridUnkept
{
    internal static readonly byte[] Bytes = [0xFF];

    /// <summary>The answer with it.</summary>
    internal static PileAnswer<byte[]> Answer => new(Bytes) { Entry = new PileEntryOptions { AbsoluteExpiration = DateTimeOffset.MinValue } };
}
