using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting.Tests;

/// <summary>A log that keeps its lines.</summary>
internal sealed class RecordedLog : ILoggerProvider
{
    private readonly Lock _gate = new();
    private readonly List<LogLine> _lines = [];

    /// <summary>Is called with each line, by the thread that logs it.</summary>
    internal Action<LogLine> AtLine { get; set; } = static _ => { };

    internal IReadOnlyList<LogLine> Lines
    {
        get
        {
            lock (_gate)
            {
                return [.. _lines];
            }
        }
    }

    internal LogLine[] Of(int id) => [.. Lines.Where(line => line.Id.Id == id && (line.Category is "Pile" or "Pile.Hosting"))];

    public ILogger CreateLogger(string categoryName) => new Category(this, categoryName);

    public void Dispose()
    {
    }

    private void Add(LogLine line)
    {
        lock (_gate)
        {
            _lines.Add(line);
        }

        AtLine(line);
    }

    private sealed class Category(RecordedLog log, string name) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            log.Add(new LogLine(name, logLevel, eventId, formatter(state, exception), exception));
    }
}
