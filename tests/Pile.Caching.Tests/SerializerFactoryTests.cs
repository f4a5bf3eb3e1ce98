using System;
using System.Buffers;
using System.Runtime.Serialization;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Pile's codec as a serializer factory.</summary>
public sealed class SerializerFactoryTests
{
    private readonly PileHybridCacheSerializerFactory _factory = new();

    [Fact]
    public void ContractsAndUnmanagedValuesComeBackFromSequencesOfAnyShape()
    {
        AssertComesBack(new Order { Id = 7, Name = "seven" });
        AssertComesBack<Order?>(null);
        AssertComesBack(42);
        AssertComesBack(new Guid("00112233-4455-6677-8899-aabbccddeeff"));
        AssertComesBack(new[] { 1.5, 2.5 });
        AssertComesBack<double[]?>(null);
    }

    [Fact]
    public void AContractIsAnArrayOfMessagePack()
    {
        Assert.True(_factory.TryCreateSerializer(out IHybridCacheSerializer<Order>? serializer));
        var writer = new ArrayBufferWriter<byte>();
        serializer.Serialize(new Order { Id = 7, Name = "a" }, writer);

        Assert.Equal([0x92, 7, 0xA1, (byte)'a'], writer.WrittenSpan.ToArray());
    }

    [Fact]
    public void WhatNeedsAPileOrIsTheCachesOwnIsLeftToOthers()
    {
        Assert.False(_factory.TryCreateSerializer<Version>(out _));
        Assert.False(_factory.TryCreateSerializer<string>(out _));
        Assert.False(_factory.TryCreateSerializer<byte[]>(out _));
    }

    /// <summary>It threw, for the stock HybridCache too; other serializers of the program were not asked.</summary>
    [Fact]
    public void WhereContractsCantBeSeenTheyAreLeftToOthers()
    {
        var ahead = new PileHybridCacheSerializerFactory { HasContracts = false };
        Assert.False(ahead.TryCreateSerializer<Order>(out _));
        Assert.True(ahead.TryCreateSerializer<int>(out _));
        Assert.True(_factory.HasContracts);
    }

    [Fact]
    public void BytesOfSomethingElseAreRefused()
    {
        Assert.True(_factory.TryCreateSerializer(out IHybridCacheSerializer<int>? number));
        Assert.Throws<PileTypeMismatchException>(() => number.Deserialize(new ReadOnlySequence<byte>([1, 2, 3])));
        Assert.True(_factory.TryCreateSerializer(out IHybridCacheSerializer<Order>? order));
        Assert.Throws<PileCorruptedException>(() => order.Deserialize(new ReadOnlySequence<byte>([1, 2, 3])));
    }

    [Fact]
    public void ItIsAServiceByOneCall()
    {
        using ServiceProvider services = new ServiceCollection().AddPileHybridCacheSerializers().BuildServiceProvider();
        Assert.IsType<PileHybridCacheSerializerFactory>(services.GetRequiredService<IHybridCacheSerializerFactory>());
    }

    private void AssertComesBack<T>(T value)
    {
        Assert.True(_factory.TryCreateSerializer(out IHybridCacheSerializer<T>? serializer));
        var writer = new ArrayBufferWriter<byte>();
        serializer.Serialize(value, writer);
        byte[] bytes = writer.WrittenSpan.ToArray();

        Assert.Equal(value, serializer.Deserialize(new ReadOnlySequence<byte>(bytes)));
        Assert.Equal(value, serializer.Deserialize(TestSequence.Of(bytes, bytes.Length / 2)));
    }

    [DataContract]
    public sealed record Order
    {
        [DataMember(Order = 0)]
        public int Id { get; set; }

        [DataMember(Order = 1)]
        public string Name { get; set; } = "";
    }
}
