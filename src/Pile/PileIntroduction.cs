// Shows a pile to who listens: the instruments of PileMetrics, the events of its beginning. Of a pile in files a thread of its own does
// so: loading what listeners need takes longer than all the rest of an open, and the first read and write need none of it.
// That thread then begins the pile's upkeep.
using System.Threading;
using Pile.Diagnostics;
using Pile.Primitives;

namespace Pile;

/// <summary>The introduction of one pile.</summary>
/// <param name="pile">The pile, all but begun.</param>
internal sealed class PileIntroduction(ObjectPile pile)
{
    private Thread? _thread;

    /// <summary>Shows the pile. A pile in files may be used before it is shown.</summary>
    internal void Begin()
    {
        if (pile.Durable is null)
        {
            Show();
            return;
        }

        _thread = new Thread(ShowAside) { IsBackground = true, Name = "Pile introduction" };
        try
        {
            _thread.Start();
        }
        catch
        {
            _thread = null;
            throw;
        }
    }

    /// <summary>Ends what <see cref="Begin"/> began, once it is done. May be called again.</summary>
    internal void End()
    {
        // A listener may dispose the pile that it is shown.
        if (_thread is { } thread && thread != Thread.CurrentThread)
        {
            Gates.Anyhow(thread.Join);
        }

        PileMetrics.Unregister(pile);
    }

    private void ShowAside()
    {
        Show();
        pile.Durable!.Upkeep.Continue();
    }

    private void Show()
    {
        PileMetrics.Register(pile);
        if (pile.Durable is { } durable)
        {
            PileEventSource.Log.PileOpened(pile.Tag, $"{durable.Report.Opening}: {durable.Report.Reason}");
        }

        PileEventSource.Log.PileCreated(pile.Tag, pile.MemoryLimitBytes);
    }
}
