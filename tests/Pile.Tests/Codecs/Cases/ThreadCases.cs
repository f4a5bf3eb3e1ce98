using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 101, 102 and 105: threads, types that are unloaded, graphs that change while they are put.</summary>
[Collection(Alone.Name)]
public sealed class ThreadCases
{
    private static int _fresh;

    [Theory]
    [ClassData<CasePlans>]
    public void Case101_TheFirstUseOfATypeByManyThreadsAtOnce(string plan)
    {
        const int Threads = 4;
        using var pile = new CasePile(plan);
        for (int round = 0; round < 40; round++)
        {
            // A closed generic type that this process never used.
            Type fresh = typeof(CaseTypes.Twin<,>).MakeGenericType(typeof(CaseTypes.Node), FreshType(Interlocked.Increment(ref _fresh)));
            Type box = typeof(CaseTypes.Box<>).MakeGenericType(fresh);
            object[] values = [.. Enumerable.Range(0, Threads).Select(_ => Activator.CreateInstance(box)!)];
            using var barrier = new Barrier(Threads);
            PilePointer[] pointers = new PilePointer[Threads];
            OwnThread[] threads = [.. Enumerable.Range(0, Threads).Select(index => OwnThread.Start(() =>
            {
                barrier.SignalAndWait();
                pointers[index] = pile.It.Put(values[index]);
                Assert.Equal(box, pile.It.Get<object>(pointers[index]).GetType());
            }))];
            foreach (OwnThread thread in threads)
            {
                thread.Join();
            }

            Assert.All(pointers, pointer => Assert.Equal(box, pile.It.Get<object>(pointer).GetType()));

            // One type, one number: the bytes are the same.
            byte[][] bytes = [.. pointers.Select(pointer => Bytes(pile.It, pointer))];
            Assert.All(bytes, each => Assert.Equal(bytes[0], each));
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case102_ALoadContextThatCanBeCollectedIsUnloaded(string plan)
    {
        LoadContexts.AssertCollected(PutFromAnotherContext(plan));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case105_AGraphThatChangesWhileItIsPut(string plan)
    {
        using var pile = new CasePile(plan);
        List<object> list = [.. Enumerable.Range(0, 50).Select(static n => (object)n)];
        Dictionary<int, object> map = Enumerable.Range(0, 50).ToDictionary(static n => n, static n => (object)$"{n}");
        var root = new CaseTypes.Pair { First = list, Second = new object[] { map, new SortedDictionary<int, int>(), new LinkedList<int>(), new Queue<int>(), new HashSet<int>() } };
        using var stop = new CancellationTokenSource();
        OwnThread changer = OwnThread.Start(() => Change(root, stop.Token));
        int stored = 0;
        int refused = 0;
        List<Exception> wrong = [];
        for (int round = 0; round < 4000; round++)
        {
            PilePointer pointer = default;
            if (Record.Exception(() => pointer = pile.It.Put(root)) is { } failure)
            {
                refused++;
                continue;
            }

            stored++;
            if (Record.Exception(() => pile.It.Get<CaseTypes.Pair>(pointer)) is { } unreadable)
            {
                wrong.Add(unreadable);
            }

            Assert.True(pile.It.Delete(pointer));
        }

        stop.Cancel();
        changer.Join();
        Assert.True(stored + refused == 4000 && wrong.Count == 0, $"{wrong.Count} of {stored} stored values can't be read: {wrong.FirstOrDefault()}");
        pile.Back(new CaseTypes.Pair { First = "still works" });
    }

    private static void Change(CaseTypes.Pair root, CancellationToken stop)
    {
        var list = (List<object>)root.First!;
        object[] rest = (object[])root.Second!;
        var map = (Dictionary<int, object>)rest[0];
        for (int step = 0; !stop.IsCancellationRequested; step++)
        {
            list.Add(step);
            list.RemoveAt(step % list.Count);
            map[step % 100] = list.Count;
            map.Remove((step + 50) % 100);
            ((SortedDictionary<int, int>)rest[1])[step % 20] = step;
            ((SortedDictionary<int, int>)rest[1]).Remove((step + 10) % 20);
            ((LinkedList<int>)rest[2]).AddLast(step);
            ((LinkedList<int>)rest[2]).RemoveFirst();
            ((Queue<int>)rest[3]).Enqueue(step);
            _ = ((Queue<int>)rest[3]).Count > 10 && ((Queue<int>)rest[3]).TryDequeue(out _);
            ((HashSet<int>)rest[4]).Add(step % 30);
            ((HashSet<int>)rest[4]).Remove((step + 15) % 30);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference PutFromAnotherContext(string plan)
    {
        var context = new AssemblyLoadContext("collectible", isCollectible: true);
        Assembly copy = context.LoadFromAssemblyPath(typeof(ThreadCases).Assembly.Location);
        Type type = copy.GetType(typeof(CaseTypes.Typed).FullName!)!;
        Assert.NotEqual(typeof(CaseTypes.Typed), type);
        object value = Activator.CreateInstance(type)!;
        object node = Activator.CreateInstance(copy.GetType(typeof(CaseTypes.Node).FullName!)!)!;
        type.GetField("First")!.SetValue(value, node);
        type.GetField("Second")!.SetValue(value, node);
        using (var pile = new CasePile(plan))
        {
            for (int round = 0; round < 50; round++)
            {
                Assert.Equal(type, pile.Back(value).GetType());
            }
        }

        context.Unload();
        return new WeakReference(context);
    }

    /// <summary>A type made of arrays and pairs, another one for each number.</summary>
    private static Type FreshType(int number)
    {
        Type type = typeof(int);
        for (; number > 0; number >>= 1)
        {
            type = (number & 1) == 0 ? type.MakeArrayType() : typeof(KeyValuePair<,>).MakeGenericType(type, typeof(string));
        }

        return type;
    }

    private static byte[] Bytes(ObjectPile pile, PilePointer pointer)
    {
        using PileLease lease = pile.Lease(pointer);
        return lease.Bytes.ToArray();
    }
}
