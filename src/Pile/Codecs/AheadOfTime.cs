// Programs that are compiled whole ahead of time (NativeAOT): no code can be made there for a type that the compiler has not seen, and the fields of
// types are told to nobody. The general codec would write objects without what they hold, so it refuses them; raw lanes and registered codecs need neither,
// nor do single values in boxes and arrays of primitives, whose plans are written out.
// Not RuntimeFeature.IsDynamicCodeSupported alone: that can be switched off where all of it works by reflection.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Whether this is such a program.</summary>
internal static class AheadOfTime
{
    private static readonly object _unseen = default(Unseen);

    /// <summary>Whether the general codec can't work here.</summary>
    internal static bool IsWhole { get; } = Fault.CompiledWhole || (!RuntimeFeature.IsDynamicCodeSupported && !CanMake());

    /// <summary>Whether objects of a type have a plan that is made without reflection: what stands in places of type object, as keys and values of
    /// IMemoryCache do, is kept here where this says so.</summary>
    internal static bool CanKeep(Type type) =>
        type.IsEnum || type == typeof(object) || (type.IsValueType && LeafFormatter.All.ContainsKey(type)) || PrimitiveArrays.IsOne(type);

    /// <summary>Whether a payload is of such an object, or of one whose type is unknown, which is told as that.</summary>
    internal static bool CanRead(TypeTable table, ReadOnlySpan<byte> payload)
    {
        var wire = new WireReader(payload);
        WireType first = WireTypes.Of(wire.Peek());
        return first == WireType.Array
            ? wire.TryReadTag(out _, out int number) && (table.Find(number) is not { } version || table.Known.Find(version.Schema.TypeName) is not { } type || CanKeep(type))
            : first is WireType.Bool or WireType.Integer or WireType.Double or WireType.Binary || wire.PeekExtension() == WireCode.Block;
    }

    /// <summary>What an object that is to be stored is answered here.</summary>
    internal static PileRefusedException NoWrite(Type type)
    {
        string name = TypeName.Display(type);
        string? perhaps = type.IsValueType && UnionCases.MayBeIn(type) ? " Whether it is a union of F#'s, or has one, can't be seen either: name its assembly in the project file, <TrimmerRootAssembly Include=\"...\" />." : null;
        return new(
            $"{name} can't be stored: this program was compiled whole ahead of time (PublishAot), where the fields of objects can't be seen.{perhaps} Register a codec for it (PileOptions.Codecs), or publish without PublishAot. Nothing was stored.",
            null,
            name);
    }

    /// <summary>What is answered here to who asks for an object that another program stored.</summary>
    internal static PileTypeMismatchException NoRead(Type type) => new(
        $"What is stored can't be read as {TypeName.Display(type)}: this program was compiled whole ahead of time (PublishAot), where the fields of objects can't be set. Describe and ToJson read it.");

    /// <summary>Refuses to make a codec of a contract here: its members would be written as none.</summary>
    internal static void RefuseContract(Type type, bool isWhole)
    {
        if (isWhole)
        {
            throw new NotSupportedException(
                $"A PileContractCodec of {TypeName.Display(type)} can't be made: this program was compiled whole ahead of time (PublishAot), where the members of contracts can't be seen. Implement IPileCodec for it, or publish without PublishAot.");
        }
    }

    /// <summary>Whether elements of an array hold references: nobody tells of their fields, but such an array can't be pinned.</summary>
    internal static bool HasReferences(Type array)
    {
        try
        {
            GCHandle.Alloc(Array.CreateInstanceFromArrayType(array, 0), GCHandleType.Pinned).Free();
            return false;
        }
        catch (Exception failure) when (failure is ArgumentException or NotSupportedException)
        {
            return true;
        }
    }

    /// <summary>Tries what plans are made by: a generic type of a value type that stands nowhere in the code.</summary>
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "That it fails is what is asked.")]
    [UnconditionalSuppressMessage("Trimming", "IL2055", Justification = "That it fails is what is asked.")]
    private static bool CanMake()
    {
        try
        {
            return Activator.CreateInstance(typeof(Probe<>).MakeGenericType(_unseen.GetType())) is not null;
        }
        catch (Exception failure) when (failure is NotSupportedException or MissingMethodException)
        {
            return false;
        }
    }

    private readonly struct Unseen;

    private sealed class Probe<T>
    {
        public T? Value { get; init; }
    }
}
