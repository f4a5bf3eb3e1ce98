using System;
using System.Collections.Generic;
using System.Linq;
using Google.Protobuf;
using Pile.Server.Packed;
using Pile.Server.Tests.Packed;
using Pile.Tests.Fuzz;
using Xunit.Sdk;

namespace Pile.Server.Tests.Fuzz;

/// <summary>Gives changed requests to the parsers by hand: they say of any bytes what the generated ones say, or refuse them.</summary>
internal sealed class FuzzRequests : FuzzTarget
{
    private const int AllocatedMore = 1 << 20;
    private const int AllocatedPerByte = 64;
    private readonly byte[][] _messages;
    private readonly PackedKind[] _kinds = Enum.GetValues<PackedKind>();

    internal FuzzRequests()
    {
        V1.GetBatch get = Batches.Get(7, "a", "bb", "");
        V1.SetBatch set = Batches.Set(9, ("a", "value"), ("bb", ""));
        set.Table = "table";
        set.Terms = new V1.EntryTerms { TimeToLiveMs = 1000, Tags = { "x", "y" } };
        V1.RemoveBatch remove = Batches.Remove(3, "a", "b");
        _messages =
        [
            new V1.GetRequest { Table = "t", Key = Batches.Bytes("key"), WantVersion = true }.ToByteArray(),
            new V1.SetRequest { Table = "t", Key = Batches.Bytes("key"), Value = Batches.Bytes("value"), Terms = set.Terms, When = (V1.SetWhen)1 }.ToByteArray(),
            new V1.RemoveRequest { Table = "t", Key = Batches.Bytes("key") }.ToByteArray(),
            get.ToByteArray(),
            set.ToByteArray(),
            remove.ToByteArray(),
            new V1.BatchRequest { Get = get }.ToByteArray(),
            new V1.BatchRequest { Set = set }.ToByteArray(),
            new V1.BatchRequest { Remove = remove }.ToByteArray(),
        ];
    }

    internal override int Origins => _messages.Length;

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        byte[] message = input.Seeds.Aggregate(_messages[input.Origin], (bytes, seed) => FuzzBytes.Change(bytes, new Random(seed), _messages));
        PackedKind kind = _kinds[input.Choices().Next(_kinds.Length)];
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            shapes.Add($"{kind}: {PackedRequestTests.AssertSame(message, kind, out string why)}, {FuzzShape.Of(why)}");
        }
        catch (Exception failure)
        {
            throw new FuzzFoundException($"{kind}: {(failure is XunitException ? FuzzShape.Of(failure.Message) : FuzzShape.Of(failure))}\n{failure}", failure);
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        if (FuzzRun.IsLong && allocated > AllocatedMore + ((long)message.Length * AllocatedPerByte))
        {
            throw new FuzzFoundException($"{allocated:N0} bytes were allocated for {message.Length:N0}");
        }
    }
}
