// Blocks of primitive elements: which arrays they come from and how they are read. The element code is the wire kind.
// Elements are little-endian, as the machines are that Pile runs on.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Arrays of primitives.</summary>
internal static class PrimitiveArrays
{
    private static readonly Dictionary<Type, Func<Plan>> _plans = new()
    {
        [typeof(bool)] = static () => new PrimitiveArrayPlan<bool>(),
        [typeof(sbyte)] = static () => new PrimitiveArrayPlan<sbyte>(),
        [typeof(short)] = static () => new PrimitiveArrayPlan<short>(),
        [typeof(ushort)] = static () => new PrimitiveArrayPlan<ushort>(),
        [typeof(int)] = static () => new PrimitiveArrayPlan<int>(),
        [typeof(uint)] = static () => new PrimitiveArrayPlan<uint>(),
        [typeof(long)] = static () => new PrimitiveArrayPlan<long>(),
        [typeof(ulong)] = static () => new PrimitiveArrayPlan<ulong>(),
        [typeof(char)] = static () => new PrimitiveArrayPlan<char>(),
        [typeof(float)] = static () => new PrimitiveArrayPlan<float>(),
        [typeof(double)] = static () => new PrimitiveArrayPlan<double>(),
        [typeof(byte)] = static () => new BinaryPlan(),
    };

    /// <summary>The plan of arrays of an element type, or null when it is no primitive.</summary>
    internal static Plan? PlanFor(Type element) => _plans.GetValueOrDefault(element)?.Invoke();

    /// <summary>Whether a type is an array of primitives.</summary>
    internal static bool IsOne(Type type) => type.IsSZArray && _plans.ContainsKey(type.GetElementType()!);

    /// <summary>Reads a block.</summary>
    internal static object ReadBlock(ref GraphReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.Wire.ReadExtension(WireCode.Block, -1);
        if (bytes.IsEmpty)
        {
            Throw.CorruptedValue("a block without element code", reader.Wire.Position);
        }

        ReadOnlySpan<byte> elements = bytes[1..];
        reader.Context.Charge(elements.Length, reader.Wire.Position);
        switch ((WireKind)bytes[0])
        {
            case WireKind.Bool:
                return elements.ContainsAnyExceptInRange((byte)0, (byte)1) ? Unknown(bytes[0], reader.Wire.Position) : Make<bool>(elements, reader.Wire.Position);
            case WireKind.SByte:
                return Make<sbyte>(elements, reader.Wire.Position);
            case WireKind.Int16:
                return Make<short>(elements, reader.Wire.Position);
            case WireKind.UInt16:
                return Make<ushort>(elements, reader.Wire.Position);
            case WireKind.Int32:
                return Make<int>(elements, reader.Wire.Position);
            case WireKind.UInt32:
                return Make<uint>(elements, reader.Wire.Position);
            case WireKind.Int64:
                return Make<long>(elements, reader.Wire.Position);
            case WireKind.UInt64:
                return Make<ulong>(elements, reader.Wire.Position);
            case WireKind.Char:
                return Make<char>(elements, reader.Wire.Position);
            case WireKind.Single:
                return Make<float>(elements, reader.Wire.Position);
            case WireKind.Double:
                return Make<double>(elements, reader.Wire.Position);
            default:
                return Unknown(bytes[0], reader.Wire.Position);
        }
    }

    private static T[] Make<T>(ReadOnlySpan<byte> elements, int position)
        where T : unmanaged
    {
        if (elements.Length % Unsafe.SizeOf<T>() != 0)
        {
            Throw.CorruptedValue("a block of no whole number of elements", position);
        }

        T[] array = GC.AllocateUninitializedArray<T>(elements.Length / Unsafe.SizeOf<T>());
        elements.CopyTo(MemoryMarshal.AsBytes(array.AsSpan()));
        return array;
    }

    private static object Unknown(byte code, int position)
    {
        Throw.CorruptedValueOf($"a block of element code {code}, or of elements that it can't have", position);
        return null!;
    }
}
