// Keys are found by their bytes. In those of a codec the number of the type's version stands, so that a type which was renamed, moved or given other
// fields writes other bytes for an equal key: everything that was stored before would be there, counted and listed, and found by no lookup. So some of the
// keys that a durable table of the files has are read, and written once more, before it is taken. One that is speculative is taken as it is: to miss is its right.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Tracing;
using Pile.Cache.Engine;
using Pile.Cache.Files;
using Pile.Codecs;
using Pile.Diagnostics;
using Pile.Format;

namespace Pile.Cache.Keys;

/// <summary>Stored keys against what their type writes today.</summary>
internal static class FormerKeys
{
    private const int KeysRead = 64;
    private const int ScratchBytes = 256;

    /// <summary>What a stored key tells.</summary>
    private enum Version
    {
        /// <summary>Nothing: it is damaged, its own code throws, or it changes each time that it is read.</summary>
        Unknown,

        /// <summary>It is of today's.</summary>
        Today,

        /// <summary>It is of another one, which can be read.</summary>
        Former,

        /// <summary>It is of another one, and can't be read as today's.</summary>
        Foreign,

        /// <summary>It is an unmanaged value, or what the codec wrote of a class of that name: the same bytes.</summary>
        Either,
    }

    /// <summary>Refuses a durable table of which some keys that are looked at would not be found.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="stored">The table.</param>
    /// <param name="asked">What it is asked for by.</param>
    /// <exception cref="PileTypeMismatchException">It is one.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The keys are other bytes in each process (<see cref="ProcessOrder"/>).</exception>
    internal static void Refuse<TKey>(ObjectPile pile, FormatTable stored, PileTableOptions asked)
        where TKey : notnull
    {
        if (stored.Parts.Options.Kind != PileTableKind.Durable || KeyCodec<TKey>.Kind is KeyKind.Text or KeyKind.Bytes)
        {
            return;
        }

        if (!asked.TakesFormerKeys)
        {
            ProcessOrder.Refuse<TKey>(pile, PileTableKind.Durable, isInFiles: true);
        }

        // Of what has ended, or was removed by a tag, nobody would find anything anyway.
        using var steps = new KeySteps(stored, withHidden: false);
        Span<int> counts = stackalloc int[(int)Version.Either + 1];
        var versions = new StoredVersions(pile.TypeTable, typeof(TKey));
        (string? Unknown, string? Missing) first = default;
        int met = 0;
        int withUnknown = 0;
        for (; met < KeysRead && steps.MoveNext(); met++)
        {
            Version version = VersionOf<TKey>(pile, versions, steps.Current, out string? unknown);
            counts[(int)version]++;
            if (unknown is not null && version == Version.Today)
            {
                withUnknown++;
                first.Unknown ??= unknown;
            }
            else
            {
                first.Missing ??= unknown;
            }
        }

        // Unmanaged values may look like what the codec writes, but not all of them.
        int foreign = counts[(int)Version.Foreign] + (counts[(int)Version.Today] == 0 ? counts[(int)Version.Either] : 0);
        bool canBeListed = foreign == 0 || counts[(int)Version.Today] + counts[(int)Version.Former] > 0;
        if (foreign + counts[(int)Version.Former] > 0 && !(asked.TakesFormerKeys && canBeListed))
        {
            bool areSome = counts[(int)Version.Today] > 0;
            string wayOut = foreign > 0
                ? "those that can't be read as it is today are listed by the type as it was."
                : "to take the entries over, open it with PileTableOptions.TakesFormerKeys and list them into a table of another name. A key whose [OnDeserialized] changes what is stored of it looks so, too: mark such fields [NonSerialized]; and one that holds items in the order of hash codes, as ImmutableHashSet does.";
            throw new PileTypeMismatchException(
                $"{(areSome ? "Some of the keys" : "The keys")} of the table '{asked.Name}' were stored by another version of {typeof(TKey)}, or of a type in it: it writes other bytes today, and {(areSome ? "these would not" : "none would")} be found. Give the types the names and the fields that they had; or use another name, or drop the table first; {wayOut}{(first.Missing is null ? null : $" {first.Missing} is not known here. {pile.TypeTable.Known.WayOut(first.Missing)}")}", default);
        }

        if (first.Unknown is not null)
        {
            (string type, string table, int keysRead) = (first.Unknown, asked.Name, met);
            EventsAside.Tell(EventLevel.Warning, () => PileEventSource.Log.KeyTypesUnknown(pile.Tag, table, type, withUnknown, keysRead, pile.TypeTable.Known.WayOut(type)));
        }
    }

    /// <summary>Of which version the key of such bytes is.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="versions">What judges keys that can't be read.</param>
    /// <param name="stored">The bytes.</param>
    /// <param name="unknown">The name of a type in it that is none here; null where there is none.</param>
    private static Version VersionOf<TKey>(ObjectPile pile, StoredVersions versions, byte[] stored, out string? unknown)
        where TKey : notnull
    {
        unknown = null;
        try
        {
            byte[] today = WriteAgain<TKey>(pile, stored);
            bool isUnmanaged = KeyCodec<TKey>.Kind is KeyKind.Raw or KeyKind.Padded;
            return today.AsSpan().SequenceEqual(stored) ? (isUnmanaged && IsOfCodec<TKey>(pile, versions, stored) ? Version.Either : Version.Today)
                : isUnmanaged ? Version.Foreign

                // One that is never written twice alike tells nothing, as a key that counts how often it was read.
                : WriteAgain<TKey>(pile, today).AsSpan().SequenceEqual(today) ? Version.Former
                : Version.Unknown;
        }
        catch (PileUnknownTypeException failure)
        {
            unknown = failure.TypeName;
        }
        catch (PileTypeMismatchException mismatch)
        {
            // With another inside it is the key's own code that threw.
            return mismatch.InnerException is null ? Version.Foreign : Version.Unknown;
        }
        catch (Exception failure) when (failure is PileException || KeyFailure.IsOne(failure))
        {
            return Version.Unknown;
        }

        return VersionOfUnread<TKey>(versions, stored, ref unknown);
    }

    /// <summary>The same of a key with a type that the program has not shown.</summary>
    private static Version VersionOfUnread<TKey>(StoredVersions versions, byte[] stored, [DisallowNull] ref string? unknown)
    {
        // One of the key's own types that has moved is what is looked for. Another, of an object that a key may be or hold, is known once somebody uses it.
        string name = unknown[(unknown.IndexOf('!', StringComparison.Ordinal) + 1)..];
        if (Array.IndexOf(typeof(TKey).ToString().Split('[', ']', ','), name) >= 0)
        {
            return Version.Former;
        }

        try
        {
            return stored[0] != (byte)RecordCode.Typed || versions.AreOfToday(stored.AsSpan(1), ref unknown) ? Version.Today : Version.Former;
        }
        catch (PileException)
        {
            return Version.Unknown;
        }
    }

    /// <summary>The bytes that the key of such bytes is written as.</summary>
    private static byte[] WriteAgain<TKey>(ObjectPile pile, byte[] stored)
        where TKey : notnull
    {
        TKey key = KeyCodec<TKey>.Decode(pile, stored);
        if (KeyCodec<TKey>.Kind is KeyKind.Raw)
        {
            return stored;
        }

        byte[]? rented = null;
        try
        {
            return KeyCodec<TKey>.Encode(pile, key, stackalloc byte[ScratchBytes], ref rented).ToArray();
        }
        finally
        {
            if (rented is not null)
            {
                ArrayPool<byte>.Shared.Return(rented);
            }
        }
    }

    /// <summary>Whether bytes as long as an unmanaged key are an object's of the same name: the type was a class, or held text. Fields that don't fit are a version's, too.</summary>
    private static bool IsOfCodec<TKey>(ObjectPile pile, StoredVersions versions, byte[] stored)
        where TKey : notnull
    {
        try
        {
            return stored.Length > 1 && stored[0] == (byte)RecordCode.Typed && WireTypes.Of(stored[1]) == WireType.Array && versions.IsOfNamesake(stored.AsSpan(1)) && TypedPayloads.TryRead(pile, RecordCode.Typed, stored.AsSpan(1), out TKey? _);
        }
        catch (Exception failure) when (failure is PileUnknownTypeException or PileTypeMismatchException)
        {
            return !AheadOfTime.IsWhole;
        }
        catch (Exception failure) when (failure is PileException || KeyFailure.IsOne(failure))
        {
            return false;
        }
    }
}
