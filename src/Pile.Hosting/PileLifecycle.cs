// A pile's life in a host: opened before anything starts, flushed and closed after everything has stopped, within the time that
// the host gives. Its one rule: what was stored is durable before it waits for anybody who still reads.
using System;
using System.Globalization;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>Opens and closes one pile, with what stands on it.</summary>
/// <param name="name">What stands on it, in a sentence.</param>
/// <param name="read">Reads what is to be opened.</param>
/// <param name="environment">The host's, or null.</param>
/// <param name="loggers">The host's.</param>
/// <param name="time">The clock of the log.</param>
internal sealed class PileLifecycle(string name, Func<HostedPlan> read, IHostEnvironment? environment, ILoggerFactory loggers, TimeProvider time)
    : IHostedLifecycleService, IDisposable
{
    /// <summary>How long one try to close waits before the host's time is looked at again.</summary>
    private static readonly TimeSpan _tryWait = TimeSpan.FromMilliseconds(100);

    private readonly ILogger _logger = loggers.CreateLogger(PileLog.Category);
    private EventBridge.Listening? _events;
    private ObjectPile? _pile;
    private PileBusyException? _busy;
    private bool _isClosed;

    /// <inheritdoc/>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        HostedPlan plan = read();
        PileOptions options = plan.Pile with { DisposeWait = _tryWait };
        _events = EventBridge.Begin(loggers, time);
        ObjectPile? pile = null;
        try
        {
            pile = plan.Directory is { } directory
                ? await OpenAsync(Path.GetFullPath(directory, environment?.ContentRootPath ?? Directory.GetCurrentDirectory()), options, cancellationToken).ConfigureAwait(false)
                : Create(options);
            _events.Own(pile.Tag);
            plan.Begin(pile);

            // The container disposes it too, as it does all that it was asked for, and what that throws ends the program.
            pile.Busy = busy => _busy = busy;
            _pile = pile;
        }
        catch
        {
            pile?.Dispose();
            EndEvents();
            throw;
        }
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        if (_pile is not { } pile || _isClosed)
        {
            return;
        }

        await FlushAsync(pile, cancellationToken).ConfigureAwait(false);
        await Task.Run(() => Close(pile, cancellationToken), CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>Closes what no stop has closed: of a host that did not get to start, or was disposed without being stopped.</summary>
    public void Dispose()
    {
        if (_pile is { } pile && !_isClosed)
        {
            try
            {
                Close(pile, new CancellationToken(canceled: true));
            }
            catch (Exception failure) when (failure is IOException or PileException)
            {
                // It is in the log, and whoever disposes services can do nothing about it.
            }
        }

        EndEvents();
    }

    private ObjectPile Create(PileOptions pileOptions)
    {
        using (_events!.Enter())
        {
            var pile = ObjectPile.Create(pileOptions);
            PileLog.Created(_logger, name, pile.Tag, pile.MemoryLimitBytes);
            return pile;
        }
    }

    private async Task<ObjectPile> OpenAsync(string directory, PileOptions pileOptions, CancellationToken cancellationToken)
    {
        PileLog.Opening(_logger, name, directory);
        ObjectPile pile;
        using (_events!.Enter())
        {
            pile = await ObjectPile.OpenAsync(directory, pileOptions, new RecoveryLog(_logger, name, time), cancellationToken).ConfigureAwait(false);
        }

        PileRecoveryReport report = pile.RecoveryReport();
        PileLog.Opened(_logger, name, pile.Tag, (long)report.Duration.TotalMilliseconds, report.Opening, report.Reason);
        foreach (PileDamageReport damage in report.Damages)
        {
            PileLog.Damaged(_logger, name, damage.ToString());
        }

        if (report.DamagesBeyond > 0)
        {
            PileLog.Damaged(_logger, name, string.Create(CultureInfo.InvariantCulture, $"{report.DamagesBeyond:N0} more"));
        }

        if (pileOptions.AcceptLoss)
        {
            PileLog.AcceptsLoss(_logger, name);
        }

        return pile;
    }

    /// <summary>Makes durable what was stored, before anybody is waited for.</summary>
    private async Task FlushAsync(ObjectPile pile, CancellationToken cancellationToken)
    {
        if (pile.Promise() == PilePromise.Memory)
        {
            return;
        }

        try
        {
            await pile.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (PileException exception) when (exception.Status == PileStatus.ReadOnly)
        {
            // Nothing was stored.
        }
        catch (PileException exception)
        {
            PileLog.FlushFailed(_logger, name, exception);
        }
        catch (OperationCanceledException)
        {
            PileLog.FlushOutlasted(_logger, name);
        }
        catch (ObjectDisposedException)
        {
            // The program closed it, and a close flushes.
        }
    }

    /// <summary>Closes the pile, once at least, and again until nobody is inside or the host's time is over.</summary>
    private void Close(ObjectPile pile, CancellationToken cancellationToken)
    {
        while (true)
        {
            _busy = null;
            try
            {
                pile.Dispose();
            }
            catch (Exception failure)
            {
                _isClosed = true;
                PileLog.CloseFailed(_logger, name, failure);
                EndEvents();
                throw;
            }

            if (_busy is null)
            {
                PileLog.Closed(_logger, name);
                break;
            }

            if (cancellationToken.IsCancellationRequested)
            {
                PileLog.Busy(_logger, name, _busy);
                return;
            }
        }

        _isClosed = true;
        EndEvents();
    }

    private void EndEvents() => Interlocked.Exchange(ref _events, null)?.Dispose();
}
