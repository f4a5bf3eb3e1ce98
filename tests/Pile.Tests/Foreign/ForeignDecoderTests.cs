using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Pile.Tests.Codecs;
using Pile.Tests.Codecs.Cases;
using Pile.Tests.Codecs.Graphs;
using Xunit;

namespace Pile.Tests.Foreign;

/// <summary>Case 99: the whole corpus is decoded by libraries of other languages, which must see in it what the specification of
/// MessagePack says is there; what they encode is read by us. One process for each library and plan.</summary>
[Trait("Category", "Foreign")]
public sealed partial class ForeignDecoderTests
{
    /// <summary>Values that these encoders write with the very bytes that we write: they have no float of 32 bits, no FWD, whose
    /// length always takes 16 bits, and, for JavaScript, no integer of 64 bits and no float that is whole.</summary>
    private static readonly string[] _sameBytes = ["Book", "Text", "Number", "Person", "Ring", "Shared", "Maps", "Immutable", "Keys", "Exception"];

    private static readonly string[] _samePythonBytes = [.. _sameBytes, "Numbers", "Texts", "Memory", "Layouts", "Lists"];

    [Theory]
    [ClassData<CasePlans>]
    public void Case099_PythonDecodesTheCorpusAndItsValuesAreRead(string plan) => Check(plan, ForeignDecoder.Python(), _samePythonBytes);

    [Theory]
    [ClassData<CasePlans>]
    public void Case099_JavaScriptDecodesTheCorpusAndItsValuesAreRead(string plan) => Check(plan, ForeignDecoder.Node(), _sameBytes);

    [Fact]
    public void TheTextThatForeignDecodersAreHeldAgainstIsWhatTheSpecificationSays()
    {
        var store = new GraphStore();
        Assert.Equal("s74657874", WireWalk.TextOf(store.Write("text")));
        Assert.Equal("-33", WireWalk.TextOf(store.Write(-33)));
        Assert.Equal("f3ff8000000000000", WireWalk.TextOf(store.Write(1.5)));
        Assert.Equal("[false,[1,s626f6f6b,300,f3ff8000000000000,true,1099511627776,[s61],x4:00112233445566778899aabbccddeeff,b0102]]", WireWalk.TextOf(store.Write(NewBook())));
        int number = store.Table.Versions().First(static version => version.Schema.TypeName.EndsWith("Node", StringComparison.Ordinal) || version.Schema.Number == 1).Schema.Number;
        Assert.Equal(1, number);
        Assert.Equal("[false,[3,0,[7,nil]]]", WireWalk.TextOf(store.Write(new CaseTypes.Node { Next = new CaseTypes.Node { Value = 7 } })));
        Assert.Equal("[true,[3,0,x1:02]]", WireWalk.TextOf(store.Write(CaseTypes.Node.List(1, isRing: true))));
        Assert.Equal("[false,[4,[3,5,nil],1,nil,s78]]", WireWalk.TextOf(store.Write(new object?[] { new CaseTypes.Node { Value = 5 }, 1, null, "x" })));
    }

    private static void Check(string plan, ForeignDecoder decoder, string[] sameBytes)
    {
        var store = new GraphStore(null, Enum.Parse<PlanMode>(plan));
        List<(string Name, byte[] Bytes)> values = [("Book", store.Write(NewBook())), .. Corpus.Names.Select(name => (name, store.Write(Corpus.Make(name))))];
        int corpus = values.Count;
        values.AddRange(store.Schemas.Select(static (schema, index) => ($"schema {index}", schema)));
        var contract = new PileContractCodec<ContractTypes.Everything>();
        byte[] contracted = Contracted(contract, ContractTypes.Everything.Make());
        values.Add(("contract", contracted));
        List<(string Text, byte[] Bytes)> decoded = decoder.Decode(values.Select(static value => value.Bytes));

        for (int index = 0; index < values.Count; index++)
        {
            (string name, byte[] bytes) = values[index];
            Assert.True(WireWalk.TextOf(bytes) == decoded[index].Text, $"{name}: {WireWalk.TextOf(bytes)} was read as {decoded[index].Text}");
        }

        // What is encoded again, by other rules on widths, means the same; references count bytes, so that only values that took
        // the same bytes again can be read as the graphs they were.
        foreach (string name in sameBytes)
        {
            int index = values.FindIndex(value => value.Name == name);
            Assert.True(values[index].Bytes.AsSpan().SequenceEqual(decoded[index].Bytes), $"{name}: {Convert.ToHexString(values[index].Bytes)} became {Convert.ToHexString(decoded[index].Bytes)}");
        }

        for (int index = 0; index < corpus; index++)
        {
            Exception? failure = Record.Exception(() => DescriptionReader.Read(store.Table, decoded[index].Bytes));
            Assert.True(failure is null or PileException, $"{failure}");
        }

        // A contract has no references: what others write, in whatever widths, is the same object.
        Assert.Equal(contracted, Contracted(contract, contract.Read(decoded[values.Count - 1].Bytes)));

        (_, byte[] changed) = decoded[values.Count];
        Book book = store.Read<Book>(changed);
        var expected = new Book { Title = "by another \u20ac", Pages = 70000, Price = 2.75, InPrint = false, Sold = 1L << 40, Authors = ["x", new string('y', 300)], Id = NewBook().Id, Cover = [.. Enumerable.Range(0, 200).Select(static part => (byte)part)] };
        Assert.Null(GraphComparer.Difference(expected, book));
        Assert.Equal("by another \u20ac", DescriptionReader.Read(store.Table, changed).Members[0].Value.Value);

        // Single values of their own, by the reader of graphs and by the generic one.
        Assert.Equal(30, decoded.Count - values.Count - 1);
        foreach ((string text, byte[] bytes) in decoded.Skip(values.Count + 1))
        {
            Assert.Equal(text, WireWalk.TextOf(store.Write(store.Read<object>(bytes))));
            Assert.Equal(text, WireWalk.TextOf(store.Write(DescriptionReader.Read(store.Table, bytes).Value!)));
        }
    }

    private static byte[] Contracted(PileContractCodec<ContractTypes.Everything> contract, ContractTypes.Everything value)
    {
        var writer = new ArrayBufferWriter<byte>();
        contract.Write(value, writer);
        return writer.WrittenSpan.ToArray();
    }

    private static Book NewBook() => new()
    {
        Title = "book",
        Pages = 300,
        Price = 1.5,
        InPrint = true,
        Sold = 1L << 40,
        Authors = ["a"],
        Id = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"),
        Cover = [1, 2],
    };

    [PileObject]
    internal sealed partial class Book
    {
        public string? Title;
        public int Pages;
        public double Price;
        public bool InPrint;
        public long Sold;
        public string[]? Authors;
        public Guid Id;
        public byte[]? Cover;
    }
}
