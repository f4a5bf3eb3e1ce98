using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using PackageGraph.Data;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class PackageFileTests
{
    [Fact]
    public void TheFileHas63440PackagesWhoseRelationsReadBackAsTheyStand()
    {
        List<PackageRow> rows = PackageFile.Read();

        Assert.Equal(63_440, rows.Count);
        Assert.All(rows, row => Assert.All(row.Relations, text => Assert.Equal(text, RelationText.Format(RelationText.Parse(text)))));
    }

    [Fact]
    public void ARowHasAllItsColumns()
    {
        using var reader = new StringReader(SmallIndex.Text);

        PackageRow row = PackageFile.Parse(reader)[0];

        Assert.Equal(("shell", "1.0", "base", "required", 120, 1000L, "Ada", "A shell"), (row.Name, row.Version, row.Section, row.Priority, row.InstalledKiB, row.SizeBytes, row.Maintainer, row.Description));
        Assert.Equal(["libc (>= 2.3), editor | pager:any (<< 9)", "loader", "", "", ""], row.Relations);
    }

    [Fact]
    public void AnEmptyInstalledSizeIsNull()
    {
        using var reader = new StringReader(SmallIndex.Text);

        Assert.Null(PackageFile.Parse(reader).Single(row => row.Name == "libc").InstalledKiB);
    }

    [Theory]
    [InlineData("", "Line 1")]
    [InlineData("Package\tVersion\n", "Line 1")]
    [InlineData(PackageFile.Header + "\na\tb\n", "Line 2 has 2 columns instead of 13")]
    [InlineData(PackageFile.Header + "\na\t1\ts\tp\tx\t5\tm\td\t\t\t\t\t\n", "Line 2: 'x' or '5' is no size")]
    [InlineData(PackageFile.Header + "\na\t1\ts\tp\t5\t\tm\td\t\t\t\t\t\n", "Line 2: '5' or '' is no size")]
    public void WhatIsNoIndexIsRefusedByItsLine(string text, string named)
    {
        using var reader = new StringReader(text);

        Assert.Contains(named, Assert.Throws<InvalidDataException>(() => PackageFile.Parse(reader)).Message, StringComparison.Ordinal);
    }
}
