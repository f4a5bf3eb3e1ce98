using System;
using System.Collections.Generic;
using System.IO;
using Pile.HitRatio.Traces;
using Xunit;

namespace Pile.HitRatio.Tests;

public sealed class CsvTraceTests
{
    [Fact]
    public void LinesAreRequestsWithAHeaderOrWithout()
    {
        Request[] expected = [new(5, 100, 1), new(18_446_744_073_709_551_615, 0, 2), new(5, 2_147_483_647, -3)];
        const string Lines = "1,5,100\n2,18446744073709551615,0\n-3,5,2147483647\n";

        Assert.Equal(expected, Read(Lines));
        Assert.Equal(expected, Read("# time, object, size, next_access_vtime\n" + Lines));
        Assert.Equal(expected, Read("time,key,size\r\n1, 5, 100, 9\r\n2,18446744073709551615,0,\r\n-3.7,5,2147483647"));
    }

    [Fact]
    public void TextKeysAreHashedAndDifferentTextsStayDifferent()
    {
        List<Request> read = Read("0,/a/b,1\n1,/a/c,1\n2,007,1\n3,7,1\n4,-7,1\n5,/a/b,1\n");

        Assert.Equal(read[0].Key, read[5].Key);
        Assert.Equal(7UL, read[3].Key);
        Assert.Equal(5, new HashSet<ulong>(read.ConvertAll(static request => request.Key)).Count);
    }

    [Theory]
    [InlineData("", "wants time, key and size with commas between, not ''.")]
    [InlineData("1,2", "wants time, key and size with commas between, not '1,2'.")]
    [InlineData("soon,2,3", "the time must be a number, not 'soon'.")]
    [InlineData("99999999999999999999,2,3", "the time must be a number, not '99999999999999999999'.")]
    [InlineData("1,,3", "the key must be a number or text without quotes, not ''.")]
    [InlineData("1,\"a\",3", "the key must be a number or text without quotes, not '\"a\"'.")]
    [InlineData("1,2,-3", "the size must be a whole number of bytes from 0 to 2,147,483,647, not '-3'.")]
    [InlineData("1,2,2147483648", "not '2147483648'.")]
    [InlineData("1,2,3.5", "not '3.5'.")]
    [InlineData("1,2,", "not ''.")]
    [InlineData("time,key,size", "the time must be a number, not 'time'.")]
    public void ABadLineIsRefusedByItsNumber(string line, string message)
    {
        InvalidDataException refused = Assert.Throws<InvalidDataException>(() => Read($"time,key,size\n1,2,3\n{line}\n4,5,6\n"));

        Assert.StartsWith("trace-", refused.Message, StringComparison.Ordinal);
        Assert.Contains(".csv, line 3: ", refused.Message, StringComparison.Ordinal);
        Assert.EndsWith(message, refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("soon,2,3")]
    [InlineData("1,2,large")]
    [InlineData("time,key\n1,2,3")]
    [InlineData("\n1,2,3")]
    public void AFirstLineThatIsHalfARequestIsNoHeader(string text) => Assert.Contains(", line 1: ", Assert.Throws<InvalidDataException>(() => Read(text)).Message, StringComparison.Ordinal);

    [Fact]
    public void AFileWithoutRequestsIsRefused() => Assert.Throws<InvalidDataException>(static () => WithFile("time,key,size\n", static path => Footprint.Of(new CsvTrace(path), 0)));

    [Fact]
    public void TheFootprintCountsEachKeyOnceWithKeyAndCharge() =>
        Assert.Equal(new Footprint(4, 2, 100 + 200 + (2 * (8 + 16))), WithFile("1,a,100\n2,b,200\n3,a,100\n4,a,500\n", static path => Footprint.Of(new CsvTrace(path), 16)));

    private static List<Request> Read(string text) => WithFile(text, static path =>
    {
        List<Request> all = [];
        Request[] some = new Request[2];
        using ITraceReader reader = new CsvTrace(path).Open();
        for (int count = reader.Read(some); count > 0; count = reader.Read(some))
        {
            all.AddRange(some.AsSpan(0, count));
        }

        return all;
    });

    private static T WithFile<T>(string text, Func<string, T> work)
    {
        string path = Path.Combine(AppContext.BaseDirectory, $"trace-{Guid.NewGuid():N}.csv");
        File.WriteAllText(path, text);
        try
        {
            return work(path);
        }
        finally
        {
            File.Delete(path);
        }
    }
}
