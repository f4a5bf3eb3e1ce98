using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>Cases 86 to 94: types that change, schemas that are read again. A pile in memory can't be opened again, so the codec
/// stands here on its list of schemas alone, as it does behind a file.</summary>
public sealed class VersionCases
{
    [Theory]
    [ClassData<CasePlans>]
    public void Case086_FieldsAddedRemovedRenamedReorderedAndMovedToABase(string plan)
    {
        GraphStore before = Store(plan);
        byte[] bytes = before.Write(new VersionTypes.CustomerThen { Removed = new VersionTypes.PartThen { X = 1 }, Name = "name", Rank = 3, Born = new DateTime(5), Alias = "old", Friend = new VersionTypes.CustomerThen { Name = "friend" } });
        GraphStore after = Store(plan, before);
        VersionTypes.CustomerNow got = after.Read<VersionTypes.CustomerNow>(bytes);
        Assert.Equal(("name", 3, new DateTime(5), "old", 0, "friend"), (got.Name, got.Rank, got.Born, got.NewAlias, got.Added, got.Friend!.Name));
        Assert.Null(got.AddedList);

        // What is put now has today's form; both are read side by side.
        byte[] today = after.Write(got);
        Assert.Equal("name", after.Read<VersionTypes.CustomerNow>(today).Name);
        Assert.Equal("name", after.Read<VersionTypes.CustomerNow>(bytes).Name);
        VersionTypes.CustomerThen[] array = [new() { Name = "a" }, null!, new() { Name = "b" }];
        byte[] manyBytes = before.Write(array);
        VersionTypes.CustomerNow[] many = Store(plan, before).Read<VersionTypes.CustomerNow[]>(manyBytes);
        Assert.Equal("b", many[2].Name);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case087_IntToLongAlwaysAndLongToIntChecked(string plan)
    {
        GraphStore narrow = Store(plan);
        byte[] bytes = narrow.Write(new VersionTypes.NarrowThen { Value = int.MinValue, Optional = null, Flags = 255 });
        VersionTypes.WideNow wide = Store(plan, narrow).Read<VersionTypes.WideNow>(bytes);
        Assert.Equal((int.MinValue, null, 255), (wide.Value, wide.Optional, wide.Flags));
        GraphStore store = Store(plan);
        byte[] fits = store.Write(new VersionTypes.WideNow { Value = int.MaxValue, Optional = 5, Flags = 1 });
        byte[] tooLarge = store.Write(new VersionTypes.WideNow { Value = int.MaxValue + 1L });
        byte[] tooLow = store.Write(new VersionTypes.WideNow { Flags = -1 });
        Assert.Equal((int.MaxValue, 5, 1), Of(Store(plan, store).Read<VersionTypes.NarrowThen>(fits)));
        Assert.Contains("Value", Assert.Throws<PileTypeMismatchException>(() => Store(plan, store).Read<VersionTypes.NarrowThen>(tooLarge)).Message, StringComparison.Ordinal);
        Assert.Throws<PileTypeMismatchException>(() => Store(plan, store).Read<VersionTypes.NarrowThen>(tooLow));

        static (int, int?, int) Of(VersionTypes.NarrowThen value) => (value.Value, value.Optional, value.Flags);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case088_SealedAndUnsealed(string plan)
    {
        GraphStore open = Store(plan);
        var part = new VersionTypes.PartThen { X = 1 };
        byte[] tagged = open.Write(new VersionTypes.HolderThen { Part = part, Same = part, Parts = [new VersionTypes.PartThen { X = 2 }, part], List = [part] });
        VersionTypes.HolderNow toSealed = Store(plan, open).Read<VersionTypes.HolderNow>(tagged);
        Assert.Equal((1, 2), (toSealed.Part!.X, toSealed.Parts![0].X));
        Assert.Same(toSealed.Part, toSealed.Same);
        Assert.Same(toSealed.Part, toSealed.Parts[1]);
        Assert.Same(toSealed.Part, toSealed.List![0]);
        GraphStore closed = Store(plan);
        var sealedPart = new VersionTypes.PartNow { X = 1 };
        byte[] untagged = closed.Write(new VersionTypes.HolderNow { Part = sealedPart, Same = sealedPart, Parts = [sealedPart, new VersionTypes.PartNow { X = 4 }], List = [sealedPart] });
        VersionTypes.HolderThen toOpen = Store(plan, closed).Read<VersionTypes.HolderThen>(untagged);
        Assert.Equal((1, 4), (toOpen.Part!.X, toOpen.Parts![1].X));
        Assert.Same(toOpen.Part, toOpen.Same);
        Assert.Same(toOpen.Part, toOpen.List![0]);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case089_ARemovedFieldHoldsWhatIsReferredToLater(string plan)
    {
        foreach (int depth in new[] { 0, 1, 10, 58, 60, 62, 64, 100, 300 })
        {
            GraphStore before = Store(plan);
            var shared = new CaseTypes.Node { Value = 5 };
            object deep = shared;
            for (int level = 0; level < depth; level++)
            {
                deep = new object[] { level, deep };
            }

            string text = new('t', 70);
            byte[] bytes = before.Write(new VersionTypes.RemovedThen { Gone = new object[] { deep, text, new Dictionary<string, object> { [text] = shared } }, Kept = shared, Text = text });
            GraphStore after = Store(plan, before);
            after.Table.Known.Add(typeof(CaseTypes.Node));
            VersionTypes.RemovedNow got = after.Read<VersionTypes.RemovedNow>(bytes);
            Assert.Equal((5, text), (((CaseTypes.Node)got.Kept!).Value, got.Text));
        }
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case090_ARemovedTypeIsATypedErrorAndItsBytesStayReachable(string plan)
    {
        GraphStore before = Store(plan);
        byte[] bytes = before.Write(new object[] { new VersionTypes.Removed { X = 5, Text = "kept" }, "text" });
        GraphStore after = Store(plan, before);
        PileUnknownTypeException unknown = Assert.Throws<PileUnknownTypeException>(() => after.Read<object>(bytes));
        Assert.Equal(PileStatus.UnknownType, unknown.Status);
        Assert.Contains("VersionTypes+Removed", unknown.TypeName, StringComparison.Ordinal);
        Assert.Contains("pile.Types.Add<Pile.Tests.Codecs.Cases.VersionTypes.Removed>()", unknown.Message, StringComparison.Ordinal);
        Assert.Contains("s6b657074", WireWalk.TextOf(bytes), StringComparison.Ordinal);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case091_AnEnumMemberThatIsGone(string plan)
    {
        GraphStore before = Store(plan);
        byte[] bytes = before.Write(new CaseTypes.Box<VersionTypes.EnumThen[]> { Value = [VersionTypes.EnumThen.Gone] });
        Assert.Equal((VersionTypes.EnumNow)2, Store(plan, before).Read<CaseTypes.Box<VersionTypes.EnumNow[]>>(bytes).Value![0]);
        byte[] field = before.Write(new VersionTypes.EnumHolderThen { Value = VersionTypes.EnumThen.Gone, Optional = VersionTypes.EnumThen.One, Any = VersionTypes.EnumThen.Gone });
        GraphStore after = Store(plan, before);
        after.Table.Known.Add(typeof(VersionTypes.EnumNow));
        VersionTypes.EnumHolderNow got = after.Read<VersionTypes.EnumHolderNow>(field);
        Assert.Equal(((VersionTypes.EnumNow)2, VersionTypes.EnumNow.One, (object)(VersionTypes.EnumNow)2), (got.Value, got.Optional, got.Any));
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case092_TwoFieldsWhoseNamesHashAlike(string plan)
    {
        GraphStore store = Store(plan);
        byte[] bytes = store.Write(new VersionTypes.Collision { Fclevy = 1, Fdlmtd = 2 });
        GraphStore again = Store(plan, store);
        Assert.Equal((1, 2), Of(again.Read<VersionTypes.Collision>(bytes)));
        VersionTypes.CollisionNow swapped = Store(plan, store).Read<VersionTypes.CollisionNow>(bytes);
        Assert.Equal((1, 2), (swapped.Fclevy, swapped.Fdlmtd));

        // They do: the schema holds one hash twice.
        string[] fields = [.. store.Schemas.Select(static schema => WireWalk.TextOf(schema)).Where(static text => text.Contains("s46636c657679", StringComparison.Ordinal))];
        Assert.Equal(2, fields[0].Split($",{0xa6715849u},").Length - 1);

        static (int, int) Of(VersionTypes.Collision value) => (value.Fclevy, value.Fdlmtd);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case093_TwoTypesOfOneFingerprint(string plan)
    {
        GraphStore store = Store(plan);
        byte[] bytes = store.Write(new object[] { new CaseTypes.PlainKey { Number = 1 }, new VersionTypes.PlainOther { Number = 2 }, new CaseTypes.Node { Value = 3 } });
        foreach (byte[] schema in store.Schemas)
        {
            // The fingerprint stands fourth, as a number of 64 bits: the same one for all.
            int at = schema.AsSpan().IndexOf((byte)0xcf);
            Assert.True(at > 0);
            schema.AsSpan(at + 1, 8).Fill(0x77);
        }

        GraphStore after = Store(plan, store);
        after.Table.Known.Add(typeof(CaseTypes.PlainKey));
        after.Table.Known.Add(typeof(VersionTypes.PlainOther));
        after.Table.Known.Add(typeof(CaseTypes.Node));
        object[] got = after.Read<object[]>(bytes);
        Assert.Equal((1, 2, 3), (((CaseTypes.PlainKey)got[0]).Number, ((VersionTypes.PlainOther)got[1]).Number, ((CaseTypes.Node)got[2]).Value));
        Assert.Equal(bytes, after.Write(got));
        Assert.Equal(store.Schemas.Count, after.Schemas.Count);
    }

    [Theory]
    [ClassData<CasePlans>]
    public void Case094_ATableOfSchemasThatIsReadAgain(string plan)
    {
        GraphStore store = Store(plan);
        Dictionary<string, byte[]> all = Corpus.Names.ToDictionary(static name => name, name => store.Write(Corpus.Make(name)));
        GraphStore again = Store(plan, store);
        again.Table.Known.AddAssembly(typeof(VersionCases).Assembly);
        foreach ((string name, byte[] bytes) in all)
        {
            object value = Corpus.Make(name);
            Assert.Null(Graphs.GraphComparer.Difference(value, again.Read<object>(bytes)));
            Assert.Equal(bytes, again.Write(value));
        }

        Assert.Equal(store.Schemas.Count, again.Schemas.Count);
    }

    private static GraphStore Store(string plan, GraphStore? before = null) => new(before, Enum.Parse<PlanMode>(plan));
}
