// Goes over values that today's type has no place for, by their schemas, without making objects: so their types need not be
// known. Where each object began is remembered, because a reference further on may want it after all; what is known to be wanted is read.
using System;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Skips stored values.</summary>
internal static class SchemaSkipper
{
    /// <summary>Goes over the value of a field.</summary>
    internal static void SkipValue(ref GraphReader reader, SchemaField field)
    {
        if (reader.Wire.Position < reader.Context.GoneOver)
        {
            // It stands in an object that was gone over and is read after all: its objects are known, and what it announces was announced.
            reader.Wire.Skip();
            return;
        }

        Go(ref reader, field);
        reader.Context.GoneOver = reader.Wire.Position;
    }

    private static void Go(ref GraphReader reader, SchemaField field)
    {
        int offset = reader.Wire.Position;
        WireType type = WireTypes.Of(reader.Wire.Peek());
        switch (field.Kind & ~WireKind.Nullable)
        {
            case WireKind.Exact when type == WireType.Array && IsWanted(ref reader, offset):
                _ = reader.ReadExact(reader.Table.Version(field.Nested).Plan);
                break;
            case WireKind.Exact when type == WireType.Array:
                TypeVersion version = reader.Table.Version(field.Nested);
                Remember(ref reader, offset, new SkippedObject(version, false, null));
                SkipContent(ref reader, version, reader.Wire.ReadArrayHeader());
                break;
            case WireKind.Inline when type == WireType.Array:
                SkipContent(ref reader, reader.Table.Version(field.Nested), reader.Wire.ReadArrayHeader());
                break;
            case WireKind.Any or WireKind.Exact or WireKind.Text when IsWanted(ref reader, offset):
                _ = reader.ReadAny();
                break;
            case WireKind.Any or WireKind.Exact or WireKind.Text:
                SkipAny(ref reader, offset, type);
                break;
            default:
                reader.Wire.Skip();
                break;
        }
    }

    /// <summary>Whether something else refers to what begins at an offset, as a reading before this one has found.</summary>
    private static bool IsWanted(ref GraphReader reader, int offset) => reader.Context.ReadInPlace is { } wanted && wanted.Contains(offset);

    /// <summary>Goes over a body of the tail.</summary>
    internal static void SkipBody(ref GraphReader reader, TypeVersion version)
    {
        SkipContent(ref reader, version, reader.Wire.ReadArrayHeader());
        reader.Context.GoneOver = reader.Wire.Position;
    }

    private static void SkipAny(ref GraphReader reader, int offset, WireType type)
    {
        if (type == WireType.Array)
        {
            int count = reader.Wire.ReadArrayHeader();
            if (count == 0)
            {
                return;
            }

            TypeVersion version = reader.Table.Version(reader.Wire.ReadInt32());
            Remember(ref reader, offset, new SkippedObject(version, true, null));
            SkipContent(ref reader, version, count - 1);
            return;
        }

        byte extension = type == WireType.Extension ? reader.Wire.PeekExtension() : (byte)0;
        if (extension == WireCode.Forward)
        {
            ReadOnlySpan<byte> bytes = reader.Wire.ReadExtension(WireCode.Forward, -1);
            Deferred deferred = reader.Context.Announce(reader.Table.Version(new WireReader(bytes).ReadInt32()), offset);
            Remember(ref reader, offset, new SkippedObject(deferred.Version, false, deferred));
            return;
        }

        if (type != WireType.Nil && extension != WireCode.Reference)
        {
            Remember(ref reader, offset, new SkippedObject(null, false, null));
        }

        reader.Wire.Skip();
    }

    private static void SkipContent(ref GraphReader reader, TypeVersion version, int count)
    {
        reader.Enter();
        for (int index = 0; index < count; index++)
        {
            Go(ref reader, SchemaLayout.FieldAt(version.Schema, index, count));
        }

        reader.Leave();
    }

    private static void Remember(ref GraphReader reader, int offset, SkippedObject skipped)
    {
        if (reader.Context.HasReferences)
        {
            Dictionary<int, SkippedObject> all = reader.Context.Skipped ?? reader.Context.BeginSkipped();
            reader.Context.Charge(64, offset);
            all[offset] = skipped;
        }
    }
}
