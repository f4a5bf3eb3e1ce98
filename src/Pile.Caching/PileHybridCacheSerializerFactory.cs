// Pile's codec for any HybridCache, the stock one too: types with [DataContract] in the array form of MessagePack, and text, numbers and
// arrays of them as they lie in memory. What depends on a pile (the general codec keeps its schemas there) is left to others.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.Serialization;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Caching.Hybrid;
using Pile.Codecs;

namespace Pile.Caching;

/// <summary>Makes serializers for types that Pile writes without a pile: <see cref="DataContractAttribute"/> with
/// <c>[DataMember(Order = n)]</c> (<see cref="PileContractCodec{T}"/>), unmanaged values and arrays of them.</summary>
/// <remarks>Thread-safe. Register it as <see cref="IHybridCacheSerializerFactory"/>. Unmanaged values are stored as they lie in memory: all
/// machines that share them need the same layout. In a program that is compiled whole ahead of time (PublishAot) types with the attribute are left to others.</remarks>
public sealed class PileHybridCacheSerializerFactory : IHybridCacheSerializerFactory
{
    /// <summary>Whether codecs of contracts can be made.</summary>
    internal bool HasContracts { get; init; } = !AheadOfTime.IsWhole;

    /// <inheritdoc/>
    /// <exception cref="ArgumentException">The type has [DataContract], and a member that can't be kept; the message names it.</exception>
    public bool TryCreateSerializer<T>([NotNullWhen(true)] out IHybridCacheSerializer<T>? serializer)
    {
        serializer = typeof(T).IsDefined(typeof(DataContractAttribute), inherit: false) ? (HasContracts ? Contract<T>() : null)
            : PileForm<T>.IsPortable && typeof(T) != typeof(string) && typeof(T) != typeof(byte[]) ? new LaneSerializer<T>()
            : null;
        return serializer is not null;
    }

#pragma warning disable CS8714 // A type with the attribute is no nullable one.
    private static ContractSerializer<T> Contract<T>() => new(new PileContractCodec<T>());
#pragma warning restore CS8714

    private sealed class ContractSerializer<T>(IPileCodec<T> codec) : IHybridCacheSerializer<T>
    {
        // As MessagePack has it; a contract is an array.
        private const byte Nil = 0xC0;

        public void Serialize(T value, IBufferWriter<byte> target)
        {
            if (value is null)
            {
                target.Write([Nil]);
            }
            else
            {
                codec.Write(value, target);
            }
        }

        public T Deserialize(ReadOnlySequence<byte> source)
        {
            ReadOnlySpan<byte> bytes = source.IsSingleSegment ? source.FirstSpan : source.ToArray();
            return bytes is [Nil] ? default! : codec.Read(bytes);
        }
    }

    private sealed class LaneSerializer<T> : IHybridCacheSerializer<T>
    {
        // Of the lanes that it is asked for, none needs a pile.
        private static readonly PileForm<T> _form = new(static () => null!, isMarked: false);

        public void Serialize(T value, IBufferWriter<byte> target) => target.Write(_form.Write(value));

        public T Deserialize(ReadOnlySequence<byte> source) =>
            _form.TryReadInPlace(source.IsSingleSegment ? source.FirstSpan : source.ToArray(), out T? value)
                ? value
                : throw new PileTypeMismatchException($"{source.Length:N0} bytes are no {typeof(T)} as Pile writes it.", default);
    }
}
