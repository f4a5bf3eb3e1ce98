using System;
using System.Buffers.Binary;

namespace WarmRestart;

/// <summary>What the writing child says over its pipe after a call has returned: which object, of which row, in which revision.</summary>
/// <param name="Pointer">The object; 0: everything said before has been committed.</param>
/// <param name="Row">Its row of the index.</param>
/// <param name="Revision">Its revision.</param>
internal readonly record struct Acknowledgement(long Pointer, int Row, int Revision)
{
    internal const int Bytes = 16;

    internal bool IsCommit => Pointer == 0;

    internal static Acknowledgement Commit => default;

    internal void Write(Span<byte> target)
    {
        BinaryPrimitives.WriteInt64LittleEndian(target, Pointer);
        BinaryPrimitives.WriteInt32LittleEndian(target[8..], Row);
        BinaryPrimitives.WriteInt32LittleEndian(target[12..], Revision);
    }

    internal static Acknowledgement Read(ReadOnlySpan<byte> source) => new(
        BinaryPrimitives.ReadInt64LittleEndian(source), BinaryPrimitives.ReadInt32LittleEndian(source[8..]), BinaryPrimitives.ReadInt32LittleEndian(source[12..]));
}
