using System;
using System.Runtime.InteropServices;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Kill;

/// <summary>Objects that say who they are, in every lane: the bytes of <see cref="Content"/>, stored as the lane stores them.</summary>
internal static class KillContent
{
    private const int HeadBytes = 8;

    internal static PilePointer Put(ObjectPile pile, KillLane lane, byte[] content) => lane switch
    {
        KillLane.Bytes => pile.PutBytes(content),
        KillLane.Narrow or KillLane.Wide => pile.PutString(TextOf(lane, content)),
        KillLane.Longs => pile.PutSpan<long>(MemoryMarshal.Cast<byte, long>(content)),
        _ => pile.Put(PageOf(content)),
    };

    internal static PileStatus TryUpdate(ObjectPile pile, PilePointer pointer, KillLane lane, byte[] content) => lane switch
    {
        KillLane.Bytes => pile.TryUpdateBytes(pointer, content),
        KillLane.Narrow or KillLane.Wide => pile.TryUpdate(pointer, TextOf(lane, content)),
        KillLane.Longs => pile.TryUpdateSpan<long>(pointer, MemoryMarshal.Cast<byte, long>(content)),
        _ => pile.TryUpdate(pointer, PageOf(content)),
    };

    /// <summary>Bytes of a content that a lane can hold.</summary>
    internal static int BytesFor(KillLane lane, int bytes) => lane == KillLane.Longs ? bytes & ~7 : bytes;

    internal static KillPage PageOf(byte[] content)
    {
        string text = TextOf(KillLane.Narrow, content);
        return new KillPage { Head = text[..HeadBytes], Body = text[HeadBytes..(2 * HeadBytes)], Next = new KillPage { Body = text[(2 * HeadBytes)..] } };
    }

    /// <summary>Reads an object of any lane.</summary>
    /// <exception cref="ModelMismatchException">It can't be read, or is no whole content.</exception>
    internal static (long Id, int Version, KillLane Lane) Read(ObjectPile pile, PileItem item)
    {
        (byte[] content, KillLane lane) = item.Kind switch
        {
            PileKind.Bytes => (pile.Get<byte[]>(item.Pointer), KillLane.Bytes),
            PileKind.NarrowString => (BytesOf(pile.Get<string>(item.Pointer)), KillLane.Narrow),
            PileKind.WideString => (BytesOf(pile.Get<string>(item.Pointer)), KillLane.Wide),
            PileKind.Span => (MemoryMarshal.AsBytes<long>(pile.Get<long[]>(item.Pointer)).ToArray(), KillLane.Longs),
            PileKind.Typed => (BytesOf(pile.Describe(item.Pointer)), KillLane.Typed),
            _ => throw new ModelMismatchException("invented", $"{item.Pointer} is of kind {item.Kind}, which nobody put"),
        };
        return Content.IsWhole(content, out long id, out int version)
            ? (id, version, lane)
            : throw new ModelMismatchException("wrong content", $"{item.Pointer}, {item.Kind} of {content.Length} bytes, says id {id}, version {version}, and is not whole");
    }

    private static string TextOf(KillLane lane, ReadOnlySpan<byte> content)
    {
        char[] text = new char[content.Length];
        int plane = lane == KillLane.Wide ? 0x100 : 0;
        for (int index = 0; index < text.Length; index++)
        {
            text[index] = (char)(content[index] | plane);
        }

        return new string(text);
    }

    private static byte[] BytesOf(string text)
    {
        byte[] content = new byte[text.Length];
        for (int index = 0; index < content.Length; index++)
        {
            content[index] = (byte)text[index];
        }

        return content;
    }

    private static byte[] BytesOf(PileDescription page)
    {
        byte[] content = [];
        foreach ((string name, PileDescription member) in page.Members)
        {
            byte[] part = member.IsNull ? [] : name == nameof(KillPage.Next) ? BytesOf(member) : BytesOf((string)member.Value!);
            content = [.. content, .. part];
        }

        return content;
    }
}
