// The EventSource "Pile" as lines of the log. One listener a process, because each would hear the piles of all; an event goes to
// one host: the one that owns its pile, else the one on whose behalf its thread runs, else the one that has run longest.
// It listens only while a host runs. It does not log what the hosts do themselves; that is PileLog.
using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting;

/// <summary>Brings events of piles to the hosts' logs. Thread-safe.</summary>
internal static class EventBridge
{
    internal const string Category = "Pile";

    private static readonly Lock _gate = new();
    private static readonly AsyncLocal<Listening?> _current = new();
    private static readonly List<Listening> _hosts = [];
    private static Ear? _ear;

    /// <summary>Begins to listen for one pile of a host.</summary>
    internal static Listening Begin(ILoggerFactory loggers, TimeProvider time)
    {
        var host = new Listening(new EventLog(loggers.CreateLogger(Category), time));
        lock (_gate)
        {
            _hosts.Add(host);
            _ear ??= new Ear();
        }

        return host;
    }

    private static void End(Listening host)
    {
        Ear? last = null;
        lock (_gate)
        {
            _ = _hosts.Remove(host);
            if (_hosts.Count == 0)
            {
                (last, _ear) = (_ear, null);
            }
        }

        // Outside the lock: it waits for whoever is in the middle of an event.
        last?.Dispose();
    }

    private static void Bring(EventWrittenEventArgs written)
    {
        long tag = TagOf(written);
        Listening? target;
        lock (_gate)
        {
            target = tag >= 0 ? _hosts.Find(host => host.Tag == tag) : null;
            Listening? current = _current.Value;
            target ??= current is not null && _hosts.Contains(current) ? current : null;
            target ??= _hosts.Count > 0 ? _hosts[0] : null;
        }

        target?.Log.Write(written, tag);
    }

    private static long TagOf(EventWrittenEventArgs written)
    {
        int index = written.PayloadNames?.IndexOf("tag") ?? -1;
        return index >= 0 && written.Payload![index] is long tag ? tag : -1;
    }

    /// <summary>A pile's part of the listening, ended by Dispose.</summary>
    /// <param name="log">Where its events go.</param>
    internal sealed class Listening(EventLog log) : IDisposable
    {
        private long _tag = -1;

        internal EventLog Log => log;

        internal long Tag => Volatile.Read(ref _tag);

        /// <summary>Events with this tag are this pile's.</summary>
        internal void Own(byte tag) => Volatile.Write(ref _tag, tag);

        /// <summary>What the caller does until the result is disposed, and the threads that it starts meanwhile, are this pile's.</summary>
        internal Behalf Enter() => new(this);

        /// <inheritdoc/>
        public void Dispose() => End(this);
    }

    /// <summary>Ends <see cref="Listening.Enter"/>.</summary>
    internal readonly struct Behalf : IDisposable
    {
        internal Behalf(Listening host) => _current.Value = host;

        /// <inheritdoc/>
        public void Dispose() => _current.Value = null;
    }

    private sealed class Ear : EventListener
    {
        /// <inheritdoc/>
        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == Category)
            {
                EnableEvents(eventSource, EventLevel.Informational);
            }
        }

        /// <inheritdoc/>
        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            // Below 1 are the runtime's own messages about the source.
            if (eventData.EventId > 0)
            {
                Bring(eventData);
            }
        }
    }
}
