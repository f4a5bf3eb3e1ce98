// Whose turn it is to note the removal of a tag in the cache behind. One note of a tag is written at a time, so that an older moment does not get
// there over a newer one; whoever comes meanwhile has part in the one after it, with all others who do, so that nobody waits for more than two,
// however many remove the tag and however long that cache takes.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Caching.Hybrid;

/// <summary>Notes of removals that are under way. Thread-safe.</summary>
internal sealed class TagTurns
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Note?> _next = [];

    /// <summary>Has a note written that begins after this call.</summary>
    /// <param name="place">Where.</param>
    /// <param name="write">Writes it; one of those that were given for the place is called.</param>
    internal Task WriteAsync(string place, Func<Task> write)
    {
        var note = new Note(write);
        lock (_gate)
        {
            if (_next.TryGetValue(place, out Note? next))
            {
                _next[place] = next ??= note;
                return next.Done.Task;
            }

            _next.Add(place, null);
        }

        _ = RunAsync(place, note);
        return note.Done.Task;
    }

    private async Task RunAsync(string place, Note? note)
    {
        while (note is not null)
        {
            try
            {
                await note.Write().ConfigureAwait(false);
                note.Done.SetResult();
            }
            catch (Exception failure)
            {
                note.Done.SetException(failure);
            }

            lock (_gate)
            {
                note = _next[place];
                if (note is null)
                {
                    _ = _next.Remove(place);
                }
                else
                {
                    _next[place] = null;
                }
            }

            // Those of others are not the first one's to wait for, where the cache behind blocks its callers.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        }
    }

    private sealed class Note(Func<Task> write)
    {
        internal Func<Task> Write { get; } = write;

        internal TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
