using System;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Hosting.Tests;

/// <summary>A host whose pile is damaged: each damage that the open met is a line of the log, or ends the start.</summary>
public sealed class DamageLogTests : IDisposable
{
    private const string Text = "the damaged object of the hosting tests";
    private readonly TemporaryDirectory _directory = new();
    private readonly RecordedLog _log = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task EachDamageIsAWarningWithTheIdOfDamages()
    {
        PilePointer whole = MakeDamaged();
        using IHost host = TestHost.With(Accepting(true), _log);
        await host.StartAsync(Cancel);
        Assert.Equal("whole", TestHost.PileOf(host).Get<string>(whole));
        PileDamageReport damage = Assert.Single(TestHost.PileOf(host).RecoveryReport().Damages);
        await host.StopAsync(Cancel);

        LogLine line = Assert.Single(_log.Of(105));
        Assert.Equal((LogLevel.Warning, "Pile.Hosting", "Damaged"), (line.Level, line.Category, line.Id.Name));
        Assert.Contains(damage.Path, line.Message, StringComparison.Ordinal);
        Assert.Contains(damage.What, line.Message, StringComparison.Ordinal);
        Assert.Contains(Path.Combine("extents", "00000001"), line.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WithoutAcceptLossItEndsTheStartAndNothingIsLoggedAsMet()
    {
        _ = MakeDamaged();
        using IHost host = TestHost.With(Accepting(false), _log);
        PileCorruptedException failure = await Assert.ThrowsAsync<PileCorruptedException>(() => host.StartAsync(Cancel));
        Assert.Contains("AcceptLoss", failure.Message, StringComparison.Ordinal);
        Assert.Empty(_log.Of(105));
    }

    private Action<PileHostOptions> Accepting(bool acceptsLoss) => options =>
    {
        options.Directory = _directory.Path;
        options.Pile = new PileOptions { DiskLimitBytes = 256 << 20, AcceptLoss = acceptsLoss };
    };

    /// <summary>A pile of two objects, one of them damaged in its file, whose table is lost: the open reads the records.</summary>
    private PilePointer MakeDamaged()
    {
        PilePointer whole;
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, new PileOptions { DiskLimitBytes = 256 << 20 }))
        {
            _ = pile.PutBytes(Encoding.ASCII.GetBytes(Text));
            whole = pile.Put("whole");
        }

        File.Delete(Directory.GetFiles(_directory.Path, "table.*").Single());
        using FileStream file = File.Open(Path.Combine(_directory.Path, "extents", "00000001"), FileMode.Open);
        byte[] begin = new byte[1 << 20];
        file.ReadExactly(begin);
        file.Position = begin.AsSpan().IndexOf(Encoding.ASCII.GetBytes(Text)) + 3;
        file.WriteByte((byte)'?');
        return whole;
    }
}
