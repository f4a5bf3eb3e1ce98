using System;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Reports say in one line what they hold, their lists too.</summary>
public sealed class ReportTextTests
{
    [Fact]
    public void ARecoveryNamesItsDamages()
    {
        PileRecoveryReport report = new() { Opening = PileOpening.Clean, Reason = "It was closed in order.", Duration = TimeSpan.FromMilliseconds(12.5), Files = 2, Segments = 3 };

        Assert.Equal("Clean: It was closed in order; 12.5 ms; files 2, segments 3 (0 cut), records read 0; no damage", report.ToString());
        Assert.EndsWith("; damages 1: a/extent-1.pile: a record was lost", (report with { Damages = [new PileDamageReport("a/extent-1.pile", "a record was lost")] }).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void ADamageSaysWhereAndWhat()
    {
        var damage = new PileDamageReport("a/extent-1.pile", "segment 3, byte 64, 128 bytes: 2 records are lost");

        Assert.Equal("a/extent-1.pile: segment 3, byte 64, 128 bytes: 2 records are lost", damage.ToString());
    }

    [Fact]
    public void AVerificationNamesItsFindings()
    {
        PileVerifyReport report = new(1, 2, 3, []) { Bytes = 4 };
        var finding = new PileFinding(PileDamage.EntryOutsideSegments, "0.0@7", "1", "2");

        Assert.Equal("segments 1, records 2, objects 3, bytes 4; nothing is wrong", report.ToString());
        Assert.EndsWith($"; findings 1: {finding}", (report with { Findings = [finding] }).ToString(), StringComparison.Ordinal);
    }
}
