using System;
using System.Buffers.Binary;

namespace Pile.Tests.Model;

/// <summary>What the plain dictionary knows of one object.</summary>
internal sealed class ModelObject
{
    internal required long Key { get; init; }

    internal required PilePointer Pointer { get; init; }

    /// <summary>Place in the list that random choices are made from.</summary>
    internal int Place { get; set; }

    internal int Version { get; set; }

    internal int Bytes { get; set; }

    /// <summary>Value of a counter object, whose content is that value alone.</summary>
    internal long? Counter { get; set; }

    internal bool IsLarge => Bytes >= 16 << 10;

    /// <summary>Throws unless the bytes are this object's, of its present version.</summary>
    internal void Require(ReadOnlySpan<byte> bytes, string where)
    {
        ModelMismatchException.Unless(bytes.Length == Bytes, "wrong content", $"{where} of key {Key} gave {bytes.Length} bytes instead of {Bytes}");
        if (Counter is { } counter)
        {
            ModelMismatchException.Unless(BinaryPrimitives.ReadInt64LittleEndian(bytes) == counter, "wrong content", $"{where} of counter {Key}");
            return;
        }

        int version = Content.Require(bytes, Key, where);
        ModelMismatchException.Unless(version == Version, "wrong version", $"{where} of key {Key} gave version {version} instead of {Version}");
    }
}
