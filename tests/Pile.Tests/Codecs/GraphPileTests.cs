using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;
using System.Threading.Tasks;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>The codec in a pile: counts, schemas, threads. Numbers are those of the codec's list of cases.</summary>
public sealed class GraphPileTests
{
    [Fact]
    public void SchemasAreNoObjectsAndSurviveClearAndCleaning()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1 });
        List<PilePointer> pointers = [.. Enumerable.Range(0, 20_000).Select(number => pile.It.Put(new GraphTypes.Node { Value = number }))];
        Assert.Equal(20_000, pile.Statistics.Objects);
        Assert.Equal(20_000, Count(pile.It));
        Assert.Equal(1, pile.It.Core.Schemas);
        foreach (PilePointer pointer in pointers)
        {
            Assert.True(pile.It.Delete(pointer));
        }

        Assert.Equal(0, pile.Statistics.Objects);
        Assert.Equal(0, pile.Statistics.LiveBytes);
        Assert.Equal(0, Count(pile.It));
        _ = pile.It.Compact(cancellationToken: TestContext.Current.CancellationToken);
        Assert.Empty(pile.It.Verify().Findings);
        PilePointer kept = pile.It.Put(new GraphTypes.Node { Value = 7 });
        pile.It.Clear();
        Assert.False(pile.It.TryGet(kept, out GraphTypes.Node? _));
        Assert.Empty(pile.It.Verify().Findings);
        Assert.Equal((0, 0), (pile.Statistics.Objects, pile.Statistics.LiveBytes));
        Assert.Equal(1, pile.It.Core.Schemas);
        Assert.Equal(8, pile.It.Get<GraphTypes.Node>(pile.It.Put(new GraphTypes.Node { Value = 8 })).Value);

        // Every slot that was ever issued, under every generation: no pointer reaches a schema.
        for (uint slot = 0; slot < pile.It.Core.Slots.HighWater; slot++)
        {
            Assert.False(pile.It.TryLease(PilePointer.FromInt64((long)Pile.Format.PointerWord.Pack(slot, pile.It.Tag, 0)), out _));
        }

        TypeTable reopened = new(new GraphStore(), PlanMode.Auto);
        foreach (byte[] schema in new Pile.Heap.HeapSchemas<Pile.Format.MemoryRecord>(pile.Core).List())
        {
            reopened.Load(schema);
        }

        Assert.Single(reopened.Versions());
    }

    [Fact]
    public void AFullPileKeepsNeitherObjectNorSchemaAndSaysFull()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 1 << 20 });
        while (pile.It.TryPutBytes(new byte[1000], out _) == PileStatus.Ok)
        {
        }

        while (pile.It.TryPutBytes(new byte[8], out _) == PileStatus.Ok)
        {
        }

        long objects = pile.Statistics.Objects;
        Assert.False(pile.It.TryPut(new GraphTypes.Node(), out _, out PileStatus status));
        Assert.Equal(PileStatus.Full, status);
        Assert.Equal(objects, pile.Statistics.Objects);
        pile.It.Clear();
        Assert.Equal(3, pile.It.Get<GraphTypes.Node>(pile.It.Put(new GraphTypes.Node { Value = 3 })).Value);
    }

    [Fact]
    public void ManyThreadsMayMeetAtATypesFirstUse_101()
    {
        for (int round = 0; round < 20; round++)
        {
            using var pile = new CheckedPile();
            using var start = new Barrier(4);
            Parallel.For(0, 4, new ParallelOptions { MaxDegreeOfParallelism = 4 }, number =>
            {
                start.SignalAndWait(TimeSpan.FromSeconds(2));
                var node = new GraphTypes.Node { Value = number, Next = new GraphTypes.Node() };
                Assert.Equal(number, pile.It.Get<GraphTypes.Node>(pile.It.Put(node)).Value);
            });
            Assert.Equal(1, pile.It.Core.Schemas);
        }
    }

    [Fact]
    public void TypesAreReleasedWithTheirLoadContext_102()
    {
        LoadContexts.AssertCollected(PutFromOtherContext());
    }

    [Fact]
    public void PlansWriteTheSameBytes_104()
    {
        PileFieldPlan.Register<GraphTypes.Provided>(
            ["<Number>k__BackingField", "<Name>k__BackingField"],
            static (writer, _, ref value) =>
            {
                writer.Write(value.Number);
                writer.Write(value.Name);
            },
            static (ref reader, _, ref value) =>
            {
                value.Number = reader.ReadInt32();
                value.Name = reader.ReadString();
                GraphTypes.Provided.Reads++;
            });
        var provided = new GraphTypes.Provided { Number = 5, Name = "five" };
        byte[] generated = new GraphStore(null, PlanMode.Auto).Write(provided);
        Assert.Equal(generated, new GraphStore(null, PlanMode.Reflection).Write(provided));
        var store = new GraphStore(null, PlanMode.Auto);
        Assert.Equal("five", store.Read<GraphTypes.Provided>(store.Write(provided)).Name);
        Assert.Equal(1, GraphTypes.Provided.Reads);
        foreach (Func<object> make in new Func<object>[]
        {
            static () => new GraphTypes.Holder { First = ["a"], Third = [1, 2] },
            static () => new GraphValueTests.Blob { Flags = GraphValueTests.Big.Top },
            static () => new GraphValueTests.Slots { Any = new GraphValueTests.Positional("x", 1) { Extra = 5 }, Interface = new GraphValueTests.Point(1, "p") },
            static () => new KeyValuePair<string, (int, decimal?)>("k", (1, 2.5m)),
        })
        {
            object value = make();
            byte[] reflected = new GraphStore(null, PlanMode.Reflection).Write(value);
            Assert.Equal(reflected, new GraphStore(null, PlanMode.Emitted).Write(value));
        }
    }

    [Fact]
    public void AGraphThatChangesMeanwhileIsAnErrorOrASnapshot_105()
    {
        using var pile = new CheckedPile();
        var list = new List<object>();
        var map = new Dictionary<int, string>();
        object[] graph = [list, map, new System.Collections.Concurrent.ConcurrentDictionary<int, int>()];
        bool stop = false;
        var changer = new Thread(() =>
        {
            for (int number = 0; !Volatile.Read(ref stop); number++)
            {
                list.Add("x");
                map[number % 100] = "y";
                map.Remove(number % 50);
                ((System.Collections.Concurrent.ConcurrentDictionary<int, int>)graph[2])[number % 64] = number;
                if (list.Count > 100)
                {
                    list.Clear();
                }
            }
        });
        changer.Start();
        for (int round = 0; round < 2000; round++)
        {
            Exception? failure = Record.Exception(() =>
            {
                PilePointer pointer = pile.It.Put(graph);
                _ = pile.It.Get<object[]>(pointer);
                pile.It.Delete(pointer);
            });

            // What was stored can be read: no damage.
            Assert.True(failure is null or InvalidOperationException or NullReferenceException or IndexOutOfRangeException, failure?.ToString());
        }

        Volatile.Write(ref stop, true);
        changer.Join();
    }

    [Fact]
    public void ATypeWithMoreFieldsThanARecordHoldsIsKept()
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Many"), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder builder = assembly.DefineDynamicModule("Many").DefineType("Many.Fields", TypeAttributes.Public);
        for (int number = 0; number < 600; number++)
        {
            builder.DefineField($"ANameOfSomeLengthWithItsNumber{number}", typeof(int), FieldAttributes.Public);
        }

        Type type = builder.CreateType();
        object value = Activator.CreateInstance(type)!;
        type.GetField("ANameOfSomeLengthWithItsNumber599")!.SetValue(value, 599);
        var before = new GraphStore();
        byte[] bytes = before.Write(value);
        Assert.True(before.Schemas.Count > 3);
        before.Schemas.Reverse();
        var after = new GraphStore(before);
        after.Table.Known.Add(type);
        Assert.Equal(599, type.GetField("ANameOfSomeLengthWithItsNumber599")!.GetValue(after.Read<object>(bytes)));
        using var pile = new CheckedPile();
        Assert.Equal(type, pile.It.Get<object>(pile.It.Put(value)).GetType());
    }

    private static int Count(ObjectPile pile)
    {
        int count = 0;
        foreach (PileItem item in pile.Enumerate())
        {
            count += item.PayloadBytes > 0 ? 1 : 0;
        }

        return count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference PutFromOtherContext()
    {
        var context = new AssemblyLoadContext("collectible", isCollectible: true);
        Type type = context.LoadFromAssemblyPath(typeof(GraphPileTests).Assembly.Location).GetType(typeof(GraphTypes.Node).FullName!)!;
        Assert.NotEqual(typeof(GraphTypes.Node), type);
        using (var pile = new GraphPile("Emitted"))
        {
            object node = Activator.CreateInstance(type)!;
            type.GetProperty("Value")!.SetValue(node, 5);
            object got = pile.Once(node);
            Assert.Equal(5, type.GetProperty("Value")!.GetValue(got));
        }

        context.Unload();
        return new WeakReference(context);
    }
}
