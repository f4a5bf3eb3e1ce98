using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using PackageGraph.Data;
using Pile;

namespace PackageGraph.Forms;

/// <summary>How a package becomes bytes, by hand, until the general codec does it. All numbers little-endian:
/// <code>
///  0  id 32 | 4 revision 32 | 8 check 32 | 12 edges 32 | 16 section 64 | 24 priority 64 | 32 maintainer 64
/// 40  size 64 | 48 installed KiB 32 (-1: none) | 52 name bytes 16 | 54 version bytes 16 | 56 description bytes 16 | 58 flags 16 (1: is a package) | 60 zero 32
/// 64  targets 64 each, bounds 64 each, marks 16 each; then name, version, description in UTF-8
/// </code></summary>
internal sealed class PackageCodec : IPileCodec<StoredPackage>
{
    /// <summary>The number that the pile stores with each package.</summary>
    internal const int Id = 1;

    /// <summary>What a pile writes before the bytes of a codec: kind and codec number. A lease shows it too.</summary>
    private const int CodecPrefixBytes = 8;

    private const int HeadBytes = 64;
    private const int EdgeBytes = 8 + 8 + 2;
    private const int PackageFlag = 1;

    public void Write(StoredPackage value, IBufferWriter<byte> writer)
    {
        int count = value.Edges.Count;
        int textMax = Encoding.UTF8.GetMaxByteCount(value.Name.Length + (value.Version?.Length ?? 0) + (value.Description?.Length ?? 0));
        Span<byte> record = writer.GetSpan(HeadBytes + (count * EdgeBytes) + textMax);
        Span<byte> head = record[..HeadBytes];
        head.Clear();
        BinaryPrimitives.WriteInt32LittleEndian(head, value.Id);
        BinaryPrimitives.WriteInt32LittleEndian(head[4..], value.Revision);
        BinaryPrimitives.WriteInt32LittleEndian(head[12..], count);
        BinaryPrimitives.WriteInt64LittleEndian(head[16..], value.Section.Pointer.ToInt64());
        BinaryPrimitives.WriteInt64LittleEndian(head[24..], value.Priority.Pointer.ToInt64());
        BinaryPrimitives.WriteInt64LittleEndian(head[32..], value.Maintainer.Pointer.ToInt64());
        BinaryPrimitives.WriteInt64LittleEndian(head[40..], value.SizeBytes);
        BinaryPrimitives.WriteInt32LittleEndian(head[48..], value.InstalledKiB ?? -1);
        BinaryPrimitives.WriteUInt16LittleEndian(head[58..], (ushort)(value.Version is null ? 0 : PackageFlag));
        Span<byte> targets = record.Slice(HeadBytes, count * 8);
        Span<byte> bounds = record.Slice(HeadBytes + (count * 8), count * 8);
        Span<byte> marks = record.Slice(HeadBytes + (count * 16), count * 2);
        for (int index = 0; index < count; index++)
        {
            StoredEdge edge = value.Edges[index];
            BinaryPrimitives.WriteInt64LittleEndian(targets[(index * 8)..], edge.Target.Pointer.ToInt64());
            BinaryPrimitives.WriteInt64LittleEndian(bounds[(index * 8)..], edge.Bound.Pointer.ToInt64());
            BinaryPrimitives.WriteUInt16LittleEndian(marks[(index * 2)..], edge.Mark.Bits);
        }

        BinaryPrimitives.WriteUInt32LittleEndian(head[8..], CheckOf(value.Id, value.Revision, record.Slice(HeadBytes, count * EdgeBytes)));
        int length = HeadBytes + (count * EdgeBytes);
        length += WriteText(value.Name, record[length..], head[52..]);
        length += WriteText(value.Version, record[length..], head[54..]);
        length += WriteText(value.Description, record[length..], head[56..]);
        writer.Advance(length);
    }

    public StoredPackage Read(ReadOnlySpan<byte> payload)
    {
        var view = new View(payload);
        var edges = new StoredEdge[view.EdgeCount];
        for (int index = 0; index < edges.Length; index++)
        {
            edges[index] = new StoredEdge(new(view.Targets[index]), new(view.Bounds[index]), view.MarkOf(index));
        }

        return new StoredPackage
        {
            Id = view.Id,
            Revision = view.Revision,
            Name = Encoding.UTF8.GetString(view.Name),
            Version = view.IsPackage ? Encoding.UTF8.GetString(view.Version) : null,
            Description = view.IsPackage ? Encoding.UTF8.GetString(view.Description) : null,
            Section = new(PointerAt(payload, 16)),
            Priority = new(PointerAt(payload, 24)),
            Maintainer = new(PointerAt(payload, 32)),
            SizeBytes = view.SizeBytes,
            InstalledKiB = view.InstalledKiB < 0 ? null : view.InstalledKiB,
            Edges = edges,
        };
    }

    /// <summary>The bytes of a lease on a package, to be read field by field.</summary>
    internal static View ViewOf(ReadOnlySpan<byte> leased) => new(leased[CodecPrefixBytes..]);

    private static PilePointer PointerAt(ReadOnlySpan<byte> payload, int offset) =>
        PilePointer.FromInt64(BinaryPrimitives.ReadInt64LittleEndian(payload[offset..]));

    private static int WriteText(string? text, Span<byte> target, Span<byte> length)
    {
        int bytes = Encoding.UTF8.GetBytes(text, target);
        BinaryPrimitives.WriteUInt16LittleEndian(length, checked((ushort)bytes));
        return bytes;
    }

    /// <summary>A number that is right only for these edges in this order at this revision.</summary>
    private static uint CheckOf(int id, int revision, ReadOnlySpan<byte> edges)
    {
        ulong check = ((ulong)(uint)id << 32) | (uint)revision;
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(edges))
        {
            check = Mixed(check ^ word);
        }

        foreach (byte one in edges[(edges.Length & ~7)..])
        {
            check = Mixed(check ^ one);
        }

        return (uint)(check ^ (check >> 32));
    }

    private static ulong Mixed(ulong check)
    {
        check *= 0x9E3779B97F4A7C15;
        return check ^ (check >> 29);
    }

    /// <summary>A package read in place: no field costs anything before it is asked for.</summary>
    internal readonly ref struct View
    {
        private readonly ReadOnlySpan<byte> _record;

        internal View(ReadOnlySpan<byte> record) => _record = record;

        internal int Id => BinaryPrimitives.ReadInt32LittleEndian(_record);

        internal int Revision => BinaryPrimitives.ReadInt32LittleEndian(_record[4..]);

        internal int EdgeCount => BinaryPrimitives.ReadInt32LittleEndian(_record[12..]);

        internal long SizeBytes => BinaryPrimitives.ReadInt64LittleEndian(_record[40..]);

        internal int InstalledKiB => BinaryPrimitives.ReadInt32LittleEndian(_record[48..]);

        internal bool IsPackage => (BinaryPrimitives.ReadUInt16LittleEndian(_record[58..]) & PackageFlag) != 0;

        /// <summary>Where the edges lead.</summary>
        internal ReadOnlySpan<PilePointer> Targets => MemoryMarshal.Cast<byte, PilePointer>(_record.Slice(HeadBytes, EdgeCount * 8));

        /// <summary>The edges' version bounds, null where there is none.</summary>
        internal ReadOnlySpan<PilePointer> Bounds => MemoryMarshal.Cast<byte, PilePointer>(_record.Slice(HeadBytes + (EdgeCount * 8), EdgeCount * 8));

        /// <summary>The edges' marks.</summary>
        internal ReadOnlySpan<EdgeMark> Marks => MemoryMarshal.Cast<byte, EdgeMark>(_record.Slice(HeadBytes + (EdgeCount * 16), EdgeCount * 2));

        /// <summary>UTF-8.</summary>
        internal ReadOnlySpan<byte> Name => _record.Slice(TextStart, NameBytes);

        /// <summary>UTF-8.</summary>
        internal ReadOnlySpan<byte> Version => _record.Slice(TextStart + NameBytes, VersionBytes);

        /// <summary>UTF-8.</summary>
        internal ReadOnlySpan<byte> Description =>
            _record.Slice(TextStart + NameBytes + VersionBytes, BinaryPrimitives.ReadUInt16LittleEndian(_record[56..]));

        /// <summary>Whether these bytes are one version of the package: its id, revision and edges fit each other.</summary>
        internal bool IsWhole =>
            BinaryPrimitives.ReadUInt32LittleEndian(_record[8..]) == CheckOf(Id, Revision, _record.Slice(HeadBytes, EdgeCount * EdgeBytes));

        private int NameBytes => BinaryPrimitives.ReadUInt16LittleEndian(_record[52..]);

        private int VersionBytes => BinaryPrimitives.ReadUInt16LittleEndian(_record[54..]);

        private int TextStart => HeadBytes + (EdgeCount * EdgeBytes);

        internal EdgeMark MarkOf(int index) => Marks[index];
    }
}
