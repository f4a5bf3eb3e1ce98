// A key for which a factory is called: its bytes and their hash, compared as the table compares keys.
// Held as long as the call lasts.
using System;
using System.Collections.Generic;
using Pile.Cache.Engine;

namespace Pile.Cache.Factories;

/// <summary>A key's bytes, copied.</summary>
/// <param name="Bytes">The bytes.</param>
/// <param name="Hash">Their hash under the table's comparer.</param>
/// <param name="MayBeStored">Whether the schema of the key's type was kept: where it was not, nothing new is stored before it is.</param>
internal readonly record struct FlightKey(byte[] Bytes, ulong Hash, bool MayBeStored = true)
{
    /// <summary>Equality of keys under a table's comparer.</summary>
    internal sealed class Comparer(TableBase table) : IEqualityComparer<FlightKey>
    {
        /// <summary>Whether only a key's own bytes are the same to it: then the table's comparer is not asked, and can't throw.</summary>
        internal bool IsByReference { get; set; }

        public bool Equals(FlightKey left, FlightKey right) => IsByReference
            ? ReferenceEquals(left.Bytes, right.Bytes)
            : left.Hash == right.Hash && (table.Comparer?.Equals(left.Bytes, right.Bytes) ?? left.Bytes.AsSpan().SequenceEqual(right.Bytes));

        public int GetHashCode(FlightKey key) => (int)key.Hash;
    }
}
