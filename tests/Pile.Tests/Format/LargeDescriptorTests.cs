using System;
using Pile.Format;
using Xunit;

namespace Pile.Tests.Format;

public sealed class LargeDescriptorTests
{
    [Fact]
    public void ADescriptorIsWrittenAsDrawnAndReadBack()
    {
        var descriptor = new LargeDescriptor(0x0102030405060708, 0x0A0B0C0D, RecordCode.WideString, 0xDEADBEEF);
        byte[] bytes = new byte[LargeDescriptor.Bytes];
        bytes.AsSpan().Fill(0xEE);
        descriptor.Write(bytes);

        Assert.Equal("08070605040302010D0C0B0A03000000EFBEADDE00000000", Convert.ToHexString(bytes));
        Assert.Equal(descriptor, LargeDescriptor.Read(bytes));
    }
}
