using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 77 to 80: what cannot be kept is refused with the path to it, and nothing is stored.</summary>
public sealed partial class RefusalCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case077_ADelegateIsRefusedWithThePath(string plan)
    {
        using var pile = new CasePile(plan);
        var order = new Order { Lines = [new Line(), new Line(), new Line(), new Line { Handler = static () => { } }] };
        Assert.Equal("Order.Lines[3].Handler", pile.Refused(order).GraphPath);
        Assert.Equal("Order.Lines[0].Note.Second", pile.Refused(new Order { Lines = [new Line { Note = new CaseTypes.Pair { Second = static () => 1 } }] }).GraphPath);
        Assert.Equal("Order.ByName[x].Handler", pile.Refused(new Order { ByName = new Dictionary<string, Line> { ["a"] = new(), ["x"] = new() { Handler = static () => { } } } }).GraphPath);
        pile.Refused(static () => { });
        pile.Back(new Order { Lines = [new Line()] });

        // Deep behind the cut.
        object deep = new Line { Handler = static () => { } };
        for (int level = 0; level < 200; level++)
        {
            deep = new CaseTypes.Pair { Second = deep };
        }

        Assert.EndsWith(".Second.Handler", pile.Refused(deep).GraphPath, StringComparison.Ordinal);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case078_AnEventWithASubscriberIsRefused(string plan)
    {
        using var pile = new CasePile(plan);
        var source = new Source();
        pile.Back(source);
        source.Changed += static (_, _) => { };
        Assert.Equal("Source.Changed", pile.Refused(source).GraphPath);
        Assert.Equal("Pair.First.Changed", pile.Refused(new CaseTypes.Pair { First = source }).GraphPath);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case079_HandlesAndWhatRunsIsRefused(string plan)
    {
        using var pile = new CasePile(plan);
        using var source = new CancellationTokenSource();
        using var timer = new Timer(static _ => { });
        using JsonDocument document = JsonDocument.Parse("{}");
        using var process = new Mutex();
        string file = Path.GetTempFileName();
        using (var stream = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.None, 1, FileOptions.DeleteOnClose))
        {
            GCHandle handle = GCHandle.Alloc(new object());
            object[] refused =
            [
                (nint)5, (nuint)5, Task.CompletedTask, Task.FromResult(5), Stream.Null, stream, new BufferedStream(stream), new WeakReference(new object()), new WeakReference<object>(new object()), handle,
                Thread.CurrentThread, timer, source, source.Token, new AsyncLocal<int>(), new ThreadLocal<int>(), new ConditionalWeakTable<object, object>(), typeof(string).GetMethods()[0], typeof(string).Assembly, typeof(string).Module,
                document, process, new ManualResetEvent(false), stream.SafeFileHandle, new TaskCompletionSource(), new StreamReader(stream), new ValueTask<int>(Task.FromResult(1)),
            ];
            foreach (object value in refused)
            {
                Assert.StartsWith("Pair.First", pile.Refused(new CaseTypes.Pair { First = value }).GraphPath, StringComparison.Ordinal);
                Assert.StartsWith("System.Object[][1]", pile.Refused(new object[] { 1, value }).GraphPath, StringComparison.Ordinal);
            }

            Assert.Equal("PointerHolder.Address", pile.Refused(new PointerHolder { Address = 7 }).GraphPath);
            handle.Free();
        }

        pile.Back(new CaseTypes.Box<Task> { Value = null });
        pile.Back(new CaseTypes.Box<Action> { Value = null });
        pile.Back(new CaseTypes.Box<Stream> { Value = null });
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case080_ClosuresAndIteratorsAreRefused(string plan)
    {
        using var pile = new CasePile(plan);
        int captured = 5;
        Func<int> closure = () => captured;
        IEnumerable<int> query = Enumerable.Range(0, 5).Select(number => number + captured);
        object[] refused = [closure, closure.Target!, Iterate(), Iterate().GetEnumerator(), query, new List<int> { 1 }.Where(static number => number > 0), IterateAsync(), new int[] { 1 }.OrderBy(static number => number), Enumerable.Range(0, 5).Select(static number => number).GetEnumerator()];
        foreach (object value in refused)
        {
            Assert.StartsWith("Pair.Second", pile.Refused(new CaseTypes.Pair { Second = value }).GraphPath, StringComparison.Ordinal);
        }
    }

    private static IEnumerable<int> Iterate()
    {
        yield return 1;
    }

    private static async IAsyncEnumerable<int> IterateAsync()
    {
        await Task.CompletedTask;
        yield return 1;
    }

    [PileObject]
    internal sealed partial class Order
    {
        public List<Line> Lines { get; init; } = [];

        public Dictionary<string, Line> ByName { get; init; } = [];
    }

    internal sealed class Line
    {
        public Action? Handler { get; set; }

        public object? Note { get; set; }
    }

    internal sealed class Source
    {
        public event EventHandler? Changed;

        public bool HasListeners => Changed is not null;
    }

    internal sealed class PointerHolder
    {
        public nint Address { get; set; }
    }
}
