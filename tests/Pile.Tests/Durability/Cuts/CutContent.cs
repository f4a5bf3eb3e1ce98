using System;
using System.Globalization;
using System.Linq;
using Pile.Format;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Contents that say whose they are, in each lane; what is read is compared in full.</summary>
internal static class CutContent
{
    private const int Letters = 26;

    /// <summary>Puts an object.</summary>
    internal static PilePointer Put(ObjectPile pile, long key, CutState state) => state.Lane switch
    {
        CutLane.Bytes => pile.PutBytes(Content.Make(key, state.Version, state.Bytes)),
        CutLane.Text => pile.Put(Text(key, state)),
        _ => (key % 3) switch
        {
            0 => pile.Put(new Note { Text = Text(key, state) }),
            1 => pile.Put(new Tally { Key = key, Counts = Counts(key, state) }),
            _ => pile.Put(new Chain { Text = Text(key, state), Next = new Chain { Text = Text(key, state) } }),
        },
    };

    /// <inheritdoc cref="Put(ObjectPile, long, CutState)"/>
    internal static PilePointer Put(PileBatch batch, long key, CutState state) =>
        state.Lane == CutLane.Bytes ? batch.Put(Content.Make(key, state.Version, state.Bytes)) : batch.Put(Text(key, state));

    /// <summary>Updates an object.</summary>
    internal static void Update(ObjectPile pile, PilePointer pointer, long key, CutState state)
    {
        switch (state.Lane)
        {
            case CutLane.Bytes:
                pile.UpdateBytes(pointer, Content.Make(key, state.Version, state.Bytes));
                break;
            case CutLane.Text:
                pile.Update(pointer, Text(key, state));
                break;
            case var _ when key % 3 == 0:
                pile.Update(pointer, new Note { Text = Text(key, state) });
                break;
            case var _ when key % 3 == 1:
                pile.Update(pointer, new Tally { Key = key, Counts = Counts(key, state) });
                break;
            default:
                pile.Update(pointer, new Chain { Text = Text(key, state), Next = new Chain { Text = Text(key, state) } });
                break;
        }
    }

    /// <inheritdoc cref="Update(ObjectPile, PilePointer, long, CutState)"/>
    internal static void Update(PileBatch batch, PilePointer pointer, long key, CutState state)
    {
        if (state.Lane == CutLane.Bytes)
        {
            batch.Update(pointer, Content.Make(key, state.Version, state.Bytes));
        }
        else
        {
            batch.Update(pointer, Text(key, state));
        }
    }

    /// <summary>Reads an object and compares all of it with what its version says.</summary>
    /// <returns>The version; 0 when it is not there.</returns>
    internal static int Read(ObjectPile pile, PilePointer pointer, long key)
    {
        RecordCode code;
        bool found = pile.TryLease(pointer, out PileLease lease, out PileStatus status);
        using (lease)
        {
            if (!found)
            {
                ModelMismatchException.Unless(status == PileStatus.Stale, "status", $"key {key}, pointer {pointer}: {status}");
                return 0;
            }

            code = lease.Code;
            if (code == RecordCode.Bytes)
            {
                return Content.Require(lease.Bytes, key, $"pointer {pointer}");
            }
        }

        return code == RecordCode.NarrowString ? VersionOf(pile.Get<string>(pointer), key)
            : (key % 3) switch
            {
                0 => VersionOf(pile.Get<Note>(pointer).Text, key),
                1 => VersionOf(pile.Get<Tally>(pointer), key),
                _ => VersionOf(pile.Get<Chain>(pointer), key),
            };
    }

    private static string Text(long key, CutState state)
    {
        string head = string.Create(CultureInfo.InvariantCulture, $"{key} {state.Version} ");
        return head + new string((char)('a' + ((key + state.Version) % Letters)), int.Max(0, state.Bytes - head.Length));
    }

    private static int[] Counts(long key, CutState state)
    {
        int[] counts = new int[int.Max(1, state.Bytes / sizeof(int))];
        counts.AsSpan().Fill((int)key * 31);
        counts[0] = state.Version;
        return counts;
    }

    private static int VersionOf(string text, long key)
    {
        string[] words = text.Split(' ');
        bool isText = words.Length == 3 && long.TryParse(words[0], CultureInfo.InvariantCulture, out long found) && found == key
            && int.TryParse(words[1], CultureInfo.InvariantCulture, out _);
        int version = isText ? int.Parse(words[1], CultureInfo.InvariantCulture) : 0;
        ModelMismatchException.Unless(
            isText && version > 0 && text == Text(key, new CutState(version, CutLane.Text, text.Length)), "wrong content", $"key {key} reads '{text[..int.Min(40, text.Length)]}'");
        return version;
    }

    private static int VersionOf(Tally tally, long key)
    {
        bool isWhole = tally.Key == key && tally.Counts.Length > 0
            && tally.Counts.SequenceEqual(Counts(key, new CutState(tally.Counts[0], CutLane.Graph, tally.Counts.Length * sizeof(int))));
        ModelMismatchException.Unless(isWhole, "wrong content", $"key {key} reads a tally of {tally.Key}");
        return tally.Counts[0];
    }

    private static int VersionOf(Chain chain, long key)
    {
        ModelMismatchException.Unless(chain.Next?.Text == chain.Text && chain.Next.Next is null, "wrong content", $"key {key} reads a chain of two texts");
        return VersionOf(chain.Text, key);
    }

    /// <summary>A graph of one text.</summary>
    public sealed class Note
    {
        /// <summary>The content.</summary>
        public string Text { get; set; } = string.Empty;
    }

    /// <summary>A graph of an array.</summary>
    public sealed class Tally
    {
        /// <summary>Whose it is.</summary>
        public long Key { get; set; }

        /// <summary>The content; first the version.</summary>
        public int[] Counts { get; set; } = [];
    }

    /// <summary>A graph of several objects.</summary>
    public sealed class Chain
    {
        /// <summary>The content.</summary>
        public string Text { get; set; } = string.Empty;

        /// <summary>The next one.</summary>
        public Chain? Next { get; set; }
    }
}
