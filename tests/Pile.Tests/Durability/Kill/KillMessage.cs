using System;
using System.Buffers.Binary;
using System.IO;

namespace Pile.Tests.Durability.Kill;

/// <summary>What a child tells its parent, in one write to the pipe: whole or not at all, in the order in which it was said.</summary>
/// <param name="Word">What it says.</param>
/// <param name="Call">The call it is about.</param>
/// <param name="Lane">The lane of the content.</param>
/// <param name="Id">The object's own id, which is in its content.</param>
/// <param name="Version">The version that is written, unique in the life of a directory.</param>
/// <param name="Pointer">The object's pointer, once it has one.</param>
/// <param name="Batch">The batch that the call is part of, by the version of its first member; 0 for none.</param>
internal readonly record struct KillMessage(KillWord Word, KillCall Call, KillLane Lane, long Id, int Version, PilePointer Pointer, int Batch = 0)
{
    internal const int Bytes = 28;

    internal void Send(Stream pipe)
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        bytes[0] = (byte)Word;
        bytes[1] = (byte)Call;
        bytes[2] = (byte)Lane;
        bytes[3] = 0;
        BinaryPrimitives.WriteInt32LittleEndian(bytes[4..], Version);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], Id);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[16..], Pointer.ToInt64());
        BinaryPrimitives.WriteInt32LittleEndian(bytes[24..], Batch);
        pipe.Write(bytes);
    }

    /// <summary>Reads the next message.</summary>
    /// <returns>False when the pipe has ended.</returns>
    internal static bool TryReceive(Stream pipe, out KillMessage message)
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        message = default;
        if (pipe.ReadAtLeast(bytes, Bytes, throwOnEndOfStream: false) < Bytes)
        {
            return false;
        }

        message = new KillMessage(
            (KillWord)bytes[0],
            (KillCall)bytes[1],
            (KillLane)bytes[2],
            BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[4..]),
            PilePointer.FromInt64(BinaryPrimitives.ReadInt64LittleEndian(bytes[16..])),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[24..]));
        return true;
    }
}
