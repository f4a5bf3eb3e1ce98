using System;
using System.Collections.Generic;
using System.IO;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>What a copy tells on its way, of a pile that is large objects for the most part.</summary>
public sealed class CopyProgressTests : IDisposable
{
    private const int Objects = 60;
    private const int ObjectBytes = 1_000_000;
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void LargeObjectsAreOfTheWholeAndAreToldOf(bool isSalvage)
    {
        string source = Path.Combine(_directory.Path, "source");
        string target = Path.Combine(_directory.Path, "target");
        var options = new PileOptions { BackgroundCleaning = false, DiskReserveBytes = 0 };
        var telling = new Telling();
        using (ObjectPile pile = ObjectPile.Open(source, options))
        {
            for (int index = 0; index < Objects; index++)
            {
                _ = pile.PutBytes(new byte[ObjectBytes]);
            }

            if (!isSalvage)
            {
                _ = pile.CopyTo(target, telling, TestContext.Current.CancellationToken);
            }
        }

        if (isSalvage)
        {
            _ = PileSalvage.Run(source, target, copying: telling, cancellationToken: TestContext.Current.CancellationToken);
        }

        Assert.All(telling.Told, static told => Assert.InRange(told.Bytes, 1, told.TotalBytes));
        Assert.All(telling.Told, static told => Assert.InRange(told.TotalBytes, Objects * ObjectBytes, 2 * Objects * ObjectBytes));
        Assert.InRange(telling.Told.Count, 10, 2 * Objects);
    }

    private sealed class Telling : IProgress<PileCopyProgress>
    {
        internal List<PileCopyProgress> Told { get; } = [];

        public void Report(PileCopyProgress value) => Told.Add(value);
    }
}
