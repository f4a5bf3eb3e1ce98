// Looking at stored objects without their CLR types: as names and values, or as JSON text.
// It reads schemas and bytes only; it neither creates the objects nor needs their types.
using System;
using System.Collections.Generic;
using Pile.Codecs;
using Pile.Format;

namespace Pile;

/// <summary>Descriptions of stored objects.</summary>
public static class ObjectPileDescribe
{
    /// <summary>Describes an object by the names and values that are stored.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The object, however it was stored; of unmanaged values and of objects by an
    /// <see cref="IPileCodec{T}"/> the bytes are all that is known.</param>
    /// <returns>The description; later changes of the object do not show in it.</returns>
    /// <exception cref="PileStaleException">The object was deleted, or never was.</exception>
    /// <exception cref="PileCorruptedException">The stored bytes are damaged.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Costs an object per stored value. Thread-safe.</remarks>
    public static PileDescription Describe(this ObjectPile pile, PilePointer pointer) => DescribeFor(pile, pointer, nameof(Describe));

    private static PileDescription DescribeFor(ObjectPile pile, PilePointer pointer, string operation)
    {
        ArgumentNullException.ThrowIfNull(pile);
        PileLease lease = ReadsAtOnce.Lease(pile, pointer, operation);
        try
        {
            return DescribeBytes(pile, lease.Code, lease.Bytes);
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <summary>Describes stored bytes.</summary>
    internal static PileDescription DescribeBytes(ObjectPile pile, RecordCode code, ReadOnlySpan<byte> bytes) => code switch
    {
        RecordCode.Typed => DescriptionReader.Read(pile.TypeTable, bytes),
        RecordCode.NarrowString or RecordCode.WideString => new PileDescription(typeof(string).FullName!, Text.Read(bytes, code == RecordCode.NarrowString)),
        RecordCode.Bytes => new PileDescription(typeof(byte[]).FullName!, bytes.ToArray()),
        _ => new PileDescription("", bytes.ToArray()),
    };

    /// <summary>An object as indented JSON text.</summary>
    /// <returns>The text. Objects have <c>$type</c>; those met more than once have <c>$id</c> and are referred to by <c>$ref</c>, as
    /// are texts and blocks of 64 characters or elements and more and numbers of 64 bytes and more, which stand as <c>$value</c> beside their <c>$id</c>;
    /// those nested very deep stand under <c>$more</c>. Bytes are base64; what JSON has no form for is text, a <see cref="System.Numerics.BigInteger"/> of
    /// more than 4,096 bits in hexadecimal digits (<c>0x...</c>, <c>-0x...</c>).</returns>
    /// <inheritdoc cref="Describe"/>
    public static string ToJson(this ObjectPile pile, PilePointer pointer) => DescriptionJson.Write(DescribeFor(pile, pointer, nameof(ToJson)));

    /// <summary>The stored name of an object's type: of a graph, that of the object at its root.</summary>
    /// <returns>As <see cref="PileDescription.TypeName"/> of its description; empty where only bytes are known.</returns>
    /// <inheritdoc cref="Describe"/>
    /// <remarks>Costs a lease and the reading of some bytes. Thread-safe.</remarks>
    public static string TypeNameOf(this ObjectPile pile, PilePointer pointer)
    {
        ArgumentNullException.ThrowIfNull(pile);
        PileLease lease = ReadsAtOnce.Lease(pile, pointer, nameof(TypeNameOf));
        try
        {
            return lease.Code switch
            {
                RecordCode.Typed => DescriptionReader.ReadTypeName(pile.TypeTable, lease.Bytes),
                RecordCode.NarrowString or RecordCode.WideString => typeof(string).FullName!,
                RecordCode.Bytes => typeof(byte[]).FullName!,
                _ => "",
            };
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <summary>The versions of types that the pile has stored objects of, by number. A version stays when its last object is deleted.</summary>
    /// <param name="pile">The pile.</param>
    public static IReadOnlyList<PileStoredType> StoredTypes(this ObjectPile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        List<PileStoredType> types = [];
        foreach (TypeVersion version in pile.TypeTable.Versions())
        {
            Schema schema = version.Schema;
            List<PileStoredMember> members = [];
            foreach (SchemaField field in schema.Fields)
            {
                members.Add(new PileStoredMember(field.Name, field.Declaring, DescriptionReader.TypeNameOf(pile.TypeTable, field), (field.Kind & WireKind.Nullable) != 0));
            }

            types.Add(new PileStoredType(schema.Number, schema.TypeName, (schema.Flags & SchemaFlags.Tracked) == 0, members));
        }

        return types;
    }
}
