using System;
using System.Collections.Generic;

namespace Pile.Tests.Model;

/// <summary>Pins held across other operations, whose bytes must not change meanwhile.</summary>
internal sealed class ModelPins(ObjectPile pile, ModelCoverage coverage)
{
    private const int PinsMax = 4;
    private readonly List<(PilePin Pin, byte[] Bytes, long Passes)> _pins = [];

    /// <summary>Keeps a pin; ends the others first when there are enough.</summary>
    internal ReadOnlySpan<byte> Add(PilePin pin)
    {
        if (_pins.Count == PinsMax)
        {
            End();
        }

        _pins.Add((pin, pin.Bytes.ToArray(), pile.GetStatistics().CleanerPasses));
        return pin.Bytes;
    }

    /// <summary>Ends all pins and compares what they show with what they showed.</summary>
    internal void End()
    {
        while (_pins.Count > 0)
        {
            (PilePin pin, byte[] bytes, long passes) = _pins[^1];
            _pins.RemoveAt(_pins.Count - 1);
            bool isSame = pin.Bytes.SequenceEqual(bytes);
            pin.Dispose();
            ModelMismatchException.Unless(isSame, "pinned bytes changed", $"{bytes.Length:N0} bytes are not what they were when they were pinned");
            coverage["pins across cleaning"] += pile.GetStatistics().CleanerPasses > passes ? 1 : 0;
        }
    }
}
