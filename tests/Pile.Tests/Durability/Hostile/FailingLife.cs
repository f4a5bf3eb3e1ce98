using System;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>The life of a pile over files of which one call, or all from one on, fail: created, filled, grown, given back, cleared and
/// closed; opened clean, after a power cut, and without its table. What fails must fail by a typed error, leave what was acknowledged
/// readable, and give way to the next open once the files work again.</summary>
internal sealed class FailingLife(PilePromise promise, FileFailure kind) : IDisposable
{
    internal const string Path = "/above/pile";
    private const int Sessions = 4;
    private readonly SimulatedFiles _first = new();
    private readonly HostileModel _model = new();
    private SimulatedFiles _files = null!;
    private SimulatedFiles? _cut;

    /// <summary>What failed first, as the program got it, in which call of the pile and of the files.</summary>
    internal string Failed { get; private set; } = string.Empty;

    /// <summary>Lives with the call of this number failing.</summary>
    /// <returns>False when the life has fewer calls.</returns>
    internal bool Live(int failAt, bool forEver)
    {
        _files = _first;
        for (int session = 0; session < Sessions; session++)
        {
            if (session == 3)
            {
                RemoveTable();
            }

            int callsBefore = _files.Calls;
            _files.FailAt(callsBefore + failAt, kind, forEver);
            Session(session);
            bool hasFailed = _files.Calls >= callsBefore + failAt;
            failAt -= _files.Calls - callsBefore;
            _files.FailAt(int.MaxValue, kind);
            if (hasFailed)
            {
                Mend();
                return true;
            }

            _files = session == 1 ? _cut = _files.PowerCut(new Random(1)) : _files;
        }

        return false;
    }

    public void Dispose()
    {
        _cut?.Dispose();
        _first.Dispose();
    }

    private PileOptions Options() => PileOptions.Tiny with
    {
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        Promise = promise,
        Files = _files,
        WritersMax = 1,
        AcceptLoss = promise == PilePromise.ProcessSafe,
        FlushInterval = TimeSpan.FromHours(1),
    };

    private void Session(int session)
    {
        ObjectPile? pile = null;
        if (!Try("Open", () => pile = ObjectPile.Open(Path, Options())))
        {
            Assert.Equal(0, _files.OpenHandles);
            return;
        }

        bool isWhole = false;
        try
        {
            _model.Check(pile!, isSettled: false);
            isWhole = Work(pile!, session);
            if (pile!.Durable!.Core.Touch!.IsLost)
            {
                // A sync of the table failed: nothing is read any more.
                Assert.All(_model.Pointers, pointer => Assert.True(!pile.TryLease(pointer, out _, out PileStatus status) && status == PileStatus.Poisoned));
            }
            else
            {
                _model.Check(pile, isSettled: false);
            }

            if (!isWhole)
            {
                Exception? next = Record.Exception(() => _model.Put(pile!, 50));
                Assert.True(next is null or PileFullException or PilePoisonedException, $"a put after it: {next}");
            }
        }
        finally
        {
            _ = Try("Dispose", pile!.Dispose);
            Assert.Equal(0, _files.OpenHandles);
        }
    }

    private bool Work(ObjectPile pile, int session)
    {
        return Each(40, "Put", () => _model.Put(pile, 700))
            && Try("PutLarge", () => _model.Put(pile, 20_000))
            && Try("Roots", () => _model.SetRoot(pile))
            && Try("Commit", pile.Commit)
            && Each(25, "Update", () => _model.Update(pile, _model.Pointers[7], 5000))
            && Each(20, "Delete", () => _model.Delete(pile, _model.Pointers[^1]))
            && Try("Batch", () => _model.Batch(pile))
            && Try("Commit", pile.Commit)
            && Try("Compact", () => pile.Compact(cancellationToken: TestContext.Current.CancellationToken))
            && (session != 2 || Try("Clear", () => _model.Clear(pile)))
            && Each(10, "Put", () => _model.Put(pile, 3000))
            && Try("Commit", pile.Commit);
    }

    private bool Each(int times, string step, Action call)
    {
        for (int time = 0; time < times; time++)
        {
            if (!Try(step, call))
            {
                return false;
            }
        }

        return true;
    }

    private bool Try(string step, Action call)
    {
        Exception? failure = Record.Exception(call);
        if (failure is null)
        {
            return true;
        }

        Failed = Failed.Length > 0 ? Failed : $"{step}, {failure}";
        bool isOfKind = kind switch
        {
            FileFailure.NoSpace => failure is PileFullException,
            FileFailure.Denied => failure is UnauthorizedAccessException,
            _ => failure is IOException,
        };
        bool isTyped = step switch
        {
            "Open" => isOfKind,
            "Dispose" => failure is IOException,
            "Clear" => failure is PilePoisonedException || isOfKind,
            _ => failure is PilePoisonedException || (failure is PileFullException && kind == FileFailure.NoSpace),
        };
        Assert.True(isTyped, $"{step} failed by {failure}");
        Assert.Contains("'/", failure.Message, StringComparison.Ordinal);
        return false;
    }

    /// <summary>The files work again: the next open finds everything, and so does the one after it.</summary>
    private void Mend()
    {
        foreach (bool isLast in (bool[])[false, true])
        {
            using ObjectPile pile = ObjectPile.Open(Path, Options() with { AcceptLoss = true });
            Assert.Empty(pile.RecoveryReport().Damages);
            _model.Check(pile, isSettled: true);
            _model.Put(pile, 100);
            pile.Commit();
            Assert.True(isLast || _files.List(Path).Count(static name => StoreNames.IsTable(name, out _)) == 1);
        }
    }

    private void RemoveTable()
    {
        foreach (string name in _files.List(Path).Where(static name => StoreNames.IsTable(name, out _)).ToList())
        {
            _files.Delete($"{Path}/{name}");
        }
    }
}
