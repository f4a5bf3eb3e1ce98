using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using Xunit;
using static Pile.Tests.Codecs.ContractTypes;

namespace Pile.Tests.Codecs;

/// <summary>Bytes that a contract of other members wrote, told from damaged ones.</summary>
public sealed class ContractBytesTests
{
    [Fact]
    public void AMemberWhoseTypeHasChangedIsToldByItsName()
    {
        string message = Mismatch<Holder<int>>(new Holder<int?>());
        Assert.Contains("contract of Pile.Tests.Codecs.ContractTypes.Holder<System.Int32> at Pile.Tests.Codecs.ContractTypes.Holder<System.Int32>.Value, of type System.Int32 and Order 0: byte 0xc0 where an integer belongs", message, StringComparison.Ordinal);
        Assert.Contains("Give it that type again, or leave that Order free", message, StringComparison.Ordinal);
        Assert.DoesNotContain("damaged", message, StringComparison.Ordinal);

        Assert.Contains("of type System.Byte[] and Order 0: byte 0xa4 where bytes belongs", Mismatch<Holder<byte[]>>(new Holder<string> { Value = "text" }), StringComparison.Ordinal);
        Assert.Contains("of type System.Int16 and Order 0: 70,000 does not fit the field", Mismatch<Holder<short>>(new Holder<int> { Value = 70_000 }), StringComparison.Ordinal);
        Assert.Contains("of type System.Guid and Order 0: Guid was expected", Mismatch<Holder<Guid>>(new Holder<string> { Value = "text" }), StringComparison.Ordinal);
        Assert.Contains("of type System.DateTime and Order 0", Mismatch<Holder<DateTime>>(new Holder<long> { Value = 5 }), StringComparison.Ordinal);
        Assert.Contains("a key of a dictionary is nil", Mismatch<Holder<Dictionary<string, int>>>(new Holder<Dictionary<int, int>>(), [0x91, 0x81, 0xc0, 0x01]), StringComparison.Ordinal);
    }

    [Fact]
    public void TheMemberIsTheInnermostAtWhichItWasNoticed()
    {
        string line = "at Pile.Tests.Codecs.ContractTypes.Line.Price, of type System.Decimal and Order 1: text was expected";
        Assert.Contains(line, Mismatch<Order>(new Nothing(), [0x94, 5, 0xa1, 0x4e, 0xc0, 0x91, 0x92, 0xa1, 0x61, 7]), StringComparison.Ordinal);

        // The second element is no line; before it stands a good one.
        string lines = "at Pile.Tests.Codecs.ContractTypes.Order.Lines, of type System.Collections.Generic.List<Pile.Tests.Codecs.ContractTypes.Line> and Order 3: byte 0x07 where an array belongs";
        Assert.Contains(lines, Mismatch<Order>(new Nothing(), [0x94, 5, 0xa1, 0x4e, 0xc0, 0x92, 0x91, 0xa1, 0x61, 7]), StringComparison.Ordinal);
        Assert.Contains("the contract of Pile.Tests.Codecs.ContractTypes.Order: byte 0x07 where an array belongs", Mismatch<Order>(new Nothing(), [7]), StringComparison.Ordinal);
    }

    [Fact]
    public void BehindThePilesDoorItIsAMismatchToo()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { Codecs = new PileCodecs().Add(1, new Former()) });
        PilePointer pointer = pile.It.Put(new Holder<int> { Value = 5 });
        PileTypeMismatchException mismatch = Assert.Throws<PileTypeMismatchException>(() => pile.It.Get<Holder<int>>(pointer));
        Assert.Equal(PileStatus.TypeMismatch, mismatch.Status);
        Assert.Contains(".Value, of type System.Int32 and Order 0", mismatch.Message, StringComparison.Ordinal);
    }

    [Theory]

    // Ends early; a text that is no UTF-8; the code that MessagePack never uses; two values; none; more elements than bytes.
    [InlineData("92")]
    [InlineData("91a2c328")]
    [InlineData("92c0a2c328")]
    [InlineData("91c1")]
    [InlineData("91c002")]
    [InlineData("")]
    [InlineData("9fc0")]
    public void BytesThatAreNoMessagePackAreDamaged(string hex) =>
        Assert.Throws<PileCorruptedException>(() => new PileContractCodec<Holder<int>>().Read(Convert.FromHexString(hex)));

    [Fact]
    public void BytesThatAskForTooMuchAreDamaged() =>
        Assert.Throws<PileCorruptedException>(static () => new PileContractCodec<Chain>().Read([.. Enumerable.Repeat((byte)0x91, 100), 0xc0]));

    private static string Mismatch<T>(object former, byte[]? bytes = null)
        where T : notnull
    {
        PileTypeMismatchException mismatch = Assert.Throws<PileTypeMismatchException>(() => new PileContractCodec<T>().Read(bytes ?? Bytes(former)));
        _ = Assert.IsType<PileCorruptedException>(mismatch.InnerException);
        return mismatch.Message;
    }

    private static byte[] Bytes(object value)
    {
        var writer = new ArrayBufferWriter<byte>();
        switch (value)
        {
            case Holder<int?> holder:
                new PileContractCodec<Holder<int?>>().Write(holder, writer);
                break;
            case Holder<string> holder:
                new PileContractCodec<Holder<string>>().Write(holder, writer);
                break;
            case Holder<long> holder:
                new PileContractCodec<Holder<long>>().Write(holder, writer);
                break;
            default:
                new PileContractCodec<Holder<int>>().Write((Holder<int>)value, writer);
                break;
        }

        return writer.WrittenSpan.ToArray();
    }

    /// <summary>Writes as the contract did while the member was a text.</summary>
    private sealed class Former : IPileCodec<Holder<int>>
    {
        private readonly PileContractCodec<Holder<int>> _today = new();

        public void Write(Holder<int> value, IBufferWriter<byte> writer) => new PileContractCodec<Holder<string>>().Write(new Holder<string> { Value = "text" }, writer);

        public Holder<int> Read(ReadOnlySpan<byte> payload) => _today.Read(payload);
    }
}
