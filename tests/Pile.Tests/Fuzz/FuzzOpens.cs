using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tests.Durability;

namespace Pile.Tests.Fuzz;

/// <summary>Gives changed directories to everything that opens one.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal sealed class FuzzOpens : FuzzTarget, IDisposable
{
    private const long AllocatedMax = 512L << 20;
    private readonly TemporaryDirectory _place = new();
    private readonly FuzzOrigin[] _origins = FuzzOrigin.All();
    private readonly FuzzImage[] _images;

    internal FuzzOpens()
    {
        _images = [.. _origins.Select(static origin => origin.Image)];
        _ = Directory.CreateDirectory(_place.Path);
    }

    internal override int Origins => _origins.Length;

    private string Pile => Path.Combine(_place.Path, "pile");

    private string Beside => Path.Combine(_place.Path, "beside");

    public void Dispose() => _place.Dispose();

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        FuzzOrigin origin = _origins[input.Origin];
        FuzzImage image = origin.Image.Fork();
        bool isSealed = false;
        foreach (int seed in input.Seeds)
        {
            isSealed |= FuzzChange.Apply(image, seed, _images);
        }

        image.Store(Pile);
        origin.Settle(Pile);
        Random choices = input.Choices();
        var look = new FuzzLook(origin, isSealed, shapes, choices, Beside);
        long before = GC.GetTotalAllocatedBytes();
        _ = look.Attempt("inspect", () => PileInspection.Of(Pile).Damages.ToList().ForEach(damage => shapes.Add($"inspect: {FuzzShape.Of(damage.What)}")));
        ReadOnly(look, choices);
        if (choices.Next(3) == 0)
        {
            Salvage(look);
        }

        if (choices.Next(4) != 0)
        {
            Write(look, choices);
        }

        long allocated = GC.GetTotalAllocatedBytes() - before;
        if (FuzzRun.IsLong && allocated > AllocatedMax)
        {
            throw new FuzzFoundException($"{allocated:N0} bytes were allocated");
        }
    }

    private void ReadOnly(FuzzLook look, Random choices)
    {
        FuzzImage? before = choices.Next(8) == 0 ? FuzzImage.Load(Pile) : null;
        _ = look.Attempt("read", () =>
        {
            using ObjectPile pile = ObjectPile.Open(Pile, FuzzOrigin.Options with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = choices.Next(2) == 0 });
            look.At(pile, "read");
        });
        if (before?.Differences(FuzzImage.Load(Pile)).FirstOrDefault() is { } changed)
        {
            throw new FuzzFoundException($"an open for reading alone has changed {changed}");
        }
    }

    private void Salvage(FuzzLook look)
    {
        Remove(Beside);
        if (look.Attempt("salvage", () => look.Note(PileSalvage.Run(Pile, Beside))))
        {
            _ = look.Attempt("salvaged", () =>
            {
                using ObjectPile pile = ObjectPile.Open(Beside, FuzzOrigin.Options with { OpenMode = PileOpenMode.OpenExisting });
                look.At(pile, "salvaged");
            });
        }

        Remove(Beside);
        Remove(Path.Combine(_place.Path, ".beside.salvage"));
    }

    private void Write(FuzzLook look, Random choices)
    {
        List<PilePointer> put = [];
        bool isClosed = look.Attempt("write", () =>
        {
            var verify = (PileVerifyOnRead)choices.Next(3);
            using ObjectPile pile = ObjectPile.Open(Pile, FuzzOrigin.Options with { OpenMode = PileOpenMode.OpenExisting, AcceptLoss = true, VerifyOnRead = verify });
            look.At(pile, "write", isTrusting: verify == PileVerifyOnRead.Never);
            FuzzWrites.Run(pile, look, choices, put);
        });
        if (!isClosed || choices.Next(2) == 0)
        {
            return;
        }

        _ = look.Attempt("again", () =>
        {
            using ObjectPile pile = ObjectPile.Open(Pile, FuzzOrigin.Options with { OpenMode = PileOpenMode.OpenExisting, AcceptLoss = true });
            look.At(pile, "again", isTrusting: true);
            FuzzWrites.Require(pile, look, put);
        });
    }

    private static void Remove(string directory)
    {
        if (Directory.Exists(directory))
        {
            Directory.Delete(directory, recursive: true);
        }
    }
}
