using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Foreign;

/// <summary>Exports, read by a MessagePack library of another language.</summary>
[Trait("Category", "Foreign")]
public sealed class ForeignExportTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void PythonCountsTheObjectsAndReadsThem(bool inFiles)
    {
        ForeignDecoder python = ForeignDecoder.Python();
        using ObjectPile pile = inFiles ? ObjectPile.Open(Path.Combine(_directory.Path, "pile")) : ObjectPile.Create();
        List<string> orders = [];
        for (int index = 0; index < 3000; index++)
        {
            PilePointer pointer = pile.Put(new Order { Number = index, Note = "tea " + index.ToString(CultureInfo.InvariantCulture) });
            orders.Add(string.Create(CultureInfo.InvariantCulture, $"order {pointer.Slot} {pointer.Generation} {index} tea {index}"));
        }

        PilePointer large = pile.PutBytes(new byte[1 << 20]);
        Assert.True(pile.Delete(pile.Put("deleted")));
        pile.Roots.Set("large", large);
        Directory.CreateDirectory(_directory.Path);
        string file = Path.Combine(_directory.Path, "export");
        PileExportReport report;
        using (FileStream target = File.Create(file))
        {
            report = pile.Export(target, cancellationToken: TestContext.Current.CancellationToken);
        }

        string[] said = python.Run("export.py", file);
        Assert.Equal("header pile-export 1 3001", said[0]);
        Assert.Equal(FormattableString.Invariant($"root large {(ulong)large.ToInt64()}"), said[1]);
        Assert.Equal(orders.Order(StringComparer.Ordinal), said.Where(static line => line.StartsWith("order", StringComparison.Ordinal)).Order(StringComparer.Ordinal));
        Assert.Equal(FormattableString.Invariant($"end 3001 {report.Types} 1"), said[^2]);
        Assert.Equal("objects 3001 deleted 1", said[^1]);
    }

    internal sealed class Order
    {
        public int Number;
        public string? Note;
    }
}
