using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;

namespace Pile.Tests.Fuzz;

/// <summary>A file as its length and the pages that are not zero.</summary>
internal sealed class FuzzFile
{
    /// <summary>Bytes of a page.</summary>
    internal const int PageBytes = 4096;

    private readonly SortedDictionary<long, byte[]> _pages = [];

    /// <summary>Bytes of the file; what lies behind counts no more.</summary>
    internal long Bytes { get; set; }

    /// <summary>Where the pages begin that are not zero.</summary>
    internal IReadOnlyCollection<long> Pages => _pages.Keys;

    /// <summary>A copy.</summary>
    internal FuzzFile Fork()
    {
        var copy = new FuzzFile { Bytes = Bytes };
        foreach ((long offset, byte[] page) in _pages)
        {
            copy._pages.Add(offset, page);
        }

        return copy;
    }

    /// <summary>A page, zeros included.</summary>
    internal ReadOnlySpan<byte> Page(long offset) => _pages.TryGetValue(offset, out byte[]? page) ? page : new byte[PageBytes];

    /// <summary>Bytes; zero where there are none.</summary>
    internal byte[] Read(long offset, int count)
    {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count;)
        {
            long place = offset + at;
            int within = (int)(place % PageBytes);
            int part = int.Min(PageBytes - within, count - at);
            if (_pages.TryGetValue(place - within, out byte[]? page))
            {
                page.AsSpan(within, part).CopyTo(bytes.AsSpan(at));
            }

            at += part;
        }

        return bytes;
    }

    /// <summary>Stores bytes, as far as the file reaches.</summary>
    internal void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        for (int at = 0; at < bytes.Length && offset + at < Bytes;)
        {
            long place = offset + at;
            int within = (int)(place % PageBytes);
            int part = int.Min(PageBytes - within, bytes.Length - at);
            byte[] page = Page(place - within).ToArray();
            bytes.Slice(at, part).CopyTo(page.AsSpan(within));
            _pages[place - within] = page;
            at += part;
        }
    }

    /// <summary>A word.</summary>
    internal ulong Word(long offset) => BinaryPrimitives.ReadUInt64LittleEndian(Read(offset, sizeof(ulong)));

    /// <summary>Stores a word.</summary>
    internal void SetWord(long offset, ulong word)
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, word);
        Write(offset, bytes);
    }

    /// <summary>Whether both hold the same.</summary>
    internal bool IsSame(FuzzFile other) => Bytes == other.Bytes
        && _pages.Keys.Union(other._pages.Keys).All(offset => Page(offset).SequenceEqual(other.Page(offset)));
}
