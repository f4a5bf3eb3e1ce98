using System;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Durability;

public sealed class DurableVerifyTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly ObjectPile _pile;
    private readonly PilePointer _pointer;

    public DurableVerifyTests()
    {
        _pile = ObjectPile.Open(_directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null });
        _pointer = Enumerable.Range(0, 100).Select(_ => _pile.PutBytes(new byte[100])).ElementAt(50);
    }

    public void Dispose()
    {
        _pile.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [InlineData(8, PileDamage.RecordCheckInvalid)]
    [InlineData(20, PileDamage.RecordCheckInvalid)]
    [InlineData(24, PileDamage.PayloadChecksumInvalid)]
    [InlineData(123, PileDamage.PayloadChecksumInvalid)]
    public void ADamagedByteIsFoundByNameAndNothingOnceItIsUndone(int offset, PileDamage damage)
    {
        long location = EntryWord.Location(_pile.Core.Table.Read(_pointer.Slot));
        Flip(location, offset);
        Assert.Contains(damage, _pile.Verify().Findings.Select(static finding => finding.Damage));
        Flip(location, offset);
        Assert.Empty(_pile.Verify().Findings);
    }

    [Fact]
    public void AnEntryOfAnotherGenerationIsFound()
    {
        ulong entry = _pile.Core.Table.Read(_pointer.Slot);
        _pile.Core.Table.Publish(_pointer.Slot, entry + (1UL << EntryWord.GenerationShift));
        Assert.Contains(PileDamage.EntryGenerationInvalid, _pile.Verify().Findings.Select(static finding => finding.Damage));
        _pile.Core.Table.Publish(_pointer.Slot, entry);
        Assert.Empty(_pile.Verify().Findings);
    }

    private void Flip(long location, int offset)
    {
        FlatSpace space = _pile.Core.Directory.Space;
        space.Bytes(location, offset, 1)[0] ^= 4;
    }
}
