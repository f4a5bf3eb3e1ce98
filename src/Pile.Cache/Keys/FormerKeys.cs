// Keys are found by their bytes. In those of a codec the number of the type's version stands, so that a type which was renamed, moved or given other
// fields writes other bytes for an equal key: everything that was stored before would be there, counted and listed, and found by no lookup. So some of the
// keys that a durable table of the files has are read, and written once more, before it is taken. One that is speculative is taken as it is: to miss is its right.
using System;
using System.Buffers;
using Pile.Cache.Engine;
using Pile.Cache.Files;
using Pile.Codecs;

namespace Pile.Cache.Keys;

/// <summary>Stored keys against what their type writes today.</summary>
internal static class FormerKeys
{
    private const int KeysRead = 64;
    private const int ScratchBytes = 256;

    /// <summary>Refuses a durable table of which no key that is looked at would be found.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="stored">The table.</param>
    /// <param name="asked">What it is asked for by.</param>
    /// <exception cref="PileTypeMismatchException">It is one.</exception>
    internal static void Refuse<TKey>(ObjectPile pile, FormatTable stored, PileTableOptions asked)
        where TKey : notnull
    {
        if (stored.Parts.Options.Kind != PileTableKind.Durable || asked.TakesFormerKeys || KeyCodec<TKey>.Kind is KeyKind.Text or KeyKind.Bytes)
        {
            return;
        }

        using var steps = new KeySteps(stored, withHidden: true);
        int read = 0;
        for (int met = 0; met < KeysRead && steps.MoveNext(); met++)
        {
            // One that is written as it stands there shows that they are of this version; that others are not has another reason, as a key that remembers what it was asked.
            switch (IsWrittenSo<TKey>(pile, steps.Current))
            {
                case true:
                    return;
                case false:
                    read++;
                    break;
                default:
                    break;
            }
        }

        if (read > 0)
        {
            throw new PileTypeMismatchException(
                $"The keys of the table '{asked.Name}' were stored by another version of {typeof(TKey)}: read and written again they are other bytes, and none would be found. Give the type the name and the fields that it had; or use another name, or drop the table first; to take the entries over, open it with PileTableOptions.TakesFormerKeys and list them into a table of another name. A key whose [OnDeserialized] changes what is stored of it looks so, too: mark such fields [NonSerialized].", default);
        }
    }

    /// <summary>Whether the key of such bytes is written as the same ones; null where they say nothing: damaged ones, and those whose own code throws.</summary>
    private static bool? IsWrittenSo<TKey>(ObjectPile pile, byte[] stored)
        where TKey : notnull
    {
        byte[]? rented = null;
        try
        {
            TKey key = KeyCodec<TKey>.Decode(pile, stored);
            return KeyCodec<TKey>.Kind is KeyKind.Raw || KeyCodec<TKey>.Encode(pile, key, stackalloc byte[ScratchBytes], ref rented).SequenceEqual(stored);
        }
        catch (PileUnknownTypeException unknown)
        {
            // One of the key's own types that has moved is what is looked for. Another, of an object that a key may be or hold, is known once somebody uses it.
            return !typeof(TKey).ToString().Contains(unknown.TypeName[(unknown.TypeName.IndexOf('!', StringComparison.Ordinal) + 1)..], StringComparison.Ordinal);
        }
        catch (PileTypeMismatchException)
        {
            return false;
        }
        catch (Exception failure) when (failure is PileException || KeyFailure.IsOne(failure))
        {
            return null;
        }
        finally
        {
            if (rented is not null)
            {
                ArrayPool<byte>.Shared.Return(rented);
            }
        }
    }
}
