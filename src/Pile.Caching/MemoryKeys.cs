// Keys of IMemoryCache that MemoryCache tells apart by reference, and that hold nothing by which a table could: an object made for its identity alone is the
// same bytes as all others like it, and the entries of all of them would be one. They are refused; what holds something is a key by that.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Codecs;

namespace Pile.Caching;

/// <summary>Which keys can't be.</summary>
internal static class MemoryKeys
{
    /// <summary>Refuses a key that nobody can tell from others, and a tuple with one in it.</summary>
    /// <exception cref="ArgumentException">It is one.</exception>
    internal static void RefuseBare(object key)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (key is not string && BareIn(key) is { } bare)
        {
            ThrowBare(key, bare);
        }
    }

    private static object? BareIn(object? key)
    {
        if (key is ITuple tuple && TypeName.IsFramework(key.GetType()))
        {
            for (int index = 0; index < tuple.Length; index++)
            {
                if (BareIn(tuple[index]) is { } bare)
                {
                    return bare;
                }
            }
        }

        return key is not (null or string or ValueType) && IndependentKeys.HoldNothing(key.GetType()) ? key : null;
    }

    [DoesNotReturn]
    private static void ThrowBare(object key, object bare)
    {
        string type = TypeName.Display(bare.GetType());
        throw new ArgumentException(
            $"{(ReferenceEquals(key, bare) ? $"A key that is {type}" : $"The key '{key}' has a {type} in it, which")} can't be told from others: it is equal to itself alone, keys of {nameof(PileMemoryCache)} are compared by what they hold, and it holds nothing. Take a text, a Type, an enum or a record as the key, or leave the entry to MemoryCache. docs/FROM-MEMORYCACHE.md has the list.",
            nameof(key));
    }
}
