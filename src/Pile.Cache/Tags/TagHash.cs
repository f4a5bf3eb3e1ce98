// The hash of a tag: 64 bits of its UTF-8 bytes, the same on every machine and in every version, because it is stored.
// Two tags of one hash are one tag: a removal of either takes the entries of both, more than asked for and never less.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Text;
using Pile.Cache.Keys;
using Pile.Primitives;

namespace Pile.Cache.Tags;

/// <summary>Hashes of tags.</summary>
internal static class TagHash
{
    /// <summary>The tag that stands for all entries.</summary>
    internal const string All = "*";

    private const ulong Seed = 0x5461_6773_4F66_4974;

    /// <summary>The hash of a tag.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is too long.</exception>
    internal static ulong Of(string tag)
    {
        RefuseLong(tag);
        byte[] bytes = ArrayPool<byte>.Shared.Rent(Encoding.UTF8.GetMaxByteCount(tag.Length));
        ulong hash = KeyHash.FormerOf(bytes.AsSpan(0, Encoding.UTF8.GetBytes(tag, bytes)), Seed);
        ArrayPool<byte>.Shared.Return(bytes);
        return hash;
    }

    /// <summary>Refuses a tag that has more bytes than a tag may.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It has.</exception>
    internal static void RefuseLong(string tag)
    {
        int bytes = Encoding.UTF8.GetByteCount(tag);
        if (bytes > CacheLimits.TagBytesMax)
        {
            Throw.Argument(nameof(tag), $"{bytes:N0} bytes", $"A tag takes at most {CacheLimits.TagBytesMax:N0} bytes (TagBytesMax). Use a hash of it as the tag.");
        }
    }

    /// <summary>The hashes of an entry's tags.</summary>
    /// <exception cref="ArgumentException">There are too many, or one is null, empty, "*" or too long.</exception>
    internal static ulong[] Of(IReadOnlyList<string>? tags)
    {
        if (tags is null || tags.Count == 0)
        {
            return [];
        }

        if (tags.Count > CacheLimits.TagsMax)
        {
            Throw.Argument("options", tags.Count, $"PileEntryOptions.Tags holds at most {CacheLimits.TagsMax} tags (TagsMax).");
        }

        ulong[] hashes = new ulong[tags.Count];
        for (int index = 0; index < hashes.Length; index++)
        {
            string tag = tags[index];
            if (string.IsNullOrEmpty(tag) || tag == All)
            {
                throw new ArgumentException($"PileEntryOptions.Tags[{index}] is {(tag is null ? "null" : $"'{tag}'")}: a tag is not null, not empty, and not '*', which stands for all entries.", nameof(tags));
            }

            hashes[index] = Of(tag);
        }

        return hashes;
    }
}
