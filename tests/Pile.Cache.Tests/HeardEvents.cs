using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Linq;
using Pile.Diagnostics;

namespace Pile.Cache.Tests;

/// <summary>Hears what one pile says under one name.</summary>
/// <typeparam name="T">What is kept of an event.</typeparam>
/// <param name="tag">Number of the pile, which its events have first.</param>
/// <param name="name">Name of the event.</param>
/// <param name="keep">What is kept, of what the event has behind the pile's number.</param>
internal sealed class HeardEvents<T>(long tag, string name, Func<IReadOnlyList<object?>, T> keep) : EventListener
{
    internal ConcurrentQueue<T> Events { get; } = new();

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == PileEventSource.Log.Name)
        {
            EnableEvents(eventSource, EventLevel.Warning);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName == name && eventData.Payload is [long of, ..] && of == tag)
        {
            Events.Enqueue(keep([.. eventData.Payload.Skip(1)]));
        }
    }
}
