// Compares what a table shows with what it should.
// Values are of keys from 0 on; what has ended must not be shown.
using System;
using System.Collections.Generic;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal static class TableComparison
{
    /// <summary>Every key shows what a dictionary has; some may show nothing.</summary>
    internal static void Exact(PileTable<int, byte[]> table, Dictionary<int, (byte[] Value, DateTimeOffset End)> expected, int keys, DateTimeOffset now, int lossMax)
    {
        int lost = 0;
        for (int key = 0; key < keys; key++)
        {
            bool isThere = expected.TryGetValue(key, out (byte[] Value, DateTimeOffset End) held) && held.End > now;
            if (table.TryGet(key, out byte[]? value))
            {
                ModelMismatchException.Unless(isThere, "risen", $"key {key} is there");
                ModelMismatchException.Unless(held.Value.AsSpan().SequenceEqual(value), "wrong content", $"key {key} has another value");
            }
            else
            {
                lost += isThere ? 1 : 0;
            }
        }

        ModelMismatchException.Unless(lost <= lossMax, "lost", $"{lost} entries are lost of {expected.Count}, and at most {lossMax} may");
    }

    /// <summary>Every key shows what it was at the last flush or since, or the table is empty where that may be.</summary>
    /// <returns>What is there.</returns>
    internal static Dictionary<int, (byte[] Value, DateTimeOffset End)> Cut(
        PileTable<int, byte[]> table, Dictionary<int, (byte[] Value, DateTimeOffset End)> last, KeyStates states, int keys, DateTimeOffset now, bool mayBeEmpty)
    {
        Dictionary<int, (byte[] Value, DateTimeOffset End)> found = [];
        for (int key = 0; key < keys && (!mayBeEmpty || table.Count > 0); key++)
        {
            byte[]? shown = table.TryGet(key, out byte[]? value) ? value : null;
            states.Check(key, shown, last.GetValueOrDefault(key), now);
            if (shown is not null)
            {
                found[key] = (shown, table.TryGetExpiration(key, out DateTimeOffset? end) && end is { } at ? at : DateTimeOffset.MaxValue);
            }
        }

        return found;
    }
}
